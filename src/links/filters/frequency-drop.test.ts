import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { frequencyDrop } from './frequency-drop.ts'

const frame = Buffer.alloc(60)

function verdicts(frequency: number, count: number): number[] {
  const filter = frequencyDrop.create([frequency], Math.random)
  return Array.from({ length: count }, () => filter.judge?.(frame, 0, frame.length) ?? -1)
}

describe('frequency_drop', () => {
  it('drops every Nth frame', () => {
    assert.deepEqual(verdicts(3, 9), [1, 1, 0, 1, 1, 0, 1, 1, 0])
  })

  it('drops all frames at -1 and at 1', () => {
    assert.deepEqual(verdicts(-1, 3), [0, 0, 0])
    assert.deepEqual(verdicts(1, 3), [0, 0, 0])
  })
})
