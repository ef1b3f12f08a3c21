import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inWeighedBatches } from './bounded.ts'

describe('inWeighedBatches()', () => {
  const limits = { size: 3, weight: 10, weightOf: (item: number) => item }

  it('gives batches that are neither too long nor too heavy, in order', () => {
    assert.deepEqual([...inWeighedBatches([1, 2, 3, 4, 5, 6, 4, 0, 0], limits)], [[1, 2, 3], [4, 5], [6, 4, 0], [0]])
    assert.deepEqual([...inWeighedBatches([], limits)], [])
  })

  it('gives alone what is too heavy', () => {
    assert.deepEqual([...inWeighedBatches([1, 11, 12, 2], limits)], [[1], [11], [12], [2]])
  })
})
