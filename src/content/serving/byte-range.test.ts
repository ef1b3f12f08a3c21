import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseRange } from './byte-range.ts'

describe('parseRange()', () => {
  for (const [header, size, expected] of [
    [undefined, 10, { kind: 'whole' }],
    ['bytes=0-3', 10, { kind: 'part', range: { start: 0, end: 3 } }],
    ['bytes=4-', 10, { kind: 'part', range: { start: 4, end: 9 } }],
    ['bytes=4-100', 10, { kind: 'part', range: { start: 4, end: 9 } }],
    ['bytes=-3', 10, { kind: 'part', range: { start: 7, end: 9 } }],
    ['bytes=-30', 10, { kind: 'part', range: { start: 0, end: 9 } }],
    ['bytes=10-', 10, { kind: 'unsatisfiable' }],
    ['bytes=-0', 10, { kind: 'unsatisfiable' }],
    ['bytes=0-', 0, { kind: 'unsatisfiable' }],
    ['bytes=3-1', 10, { kind: 'whole' }],
    ['bytes=0-1,3-4', 10, { kind: 'whole' }],
    ['lines=0-1', 10, { kind: 'whole' }],
    ['bytes=-', 10, { kind: 'whole' }],
  ] as const) {
    it(`reads ${JSON.stringify(header)} of ${size} bytes as ${expected.kind}`, () => {
      assert.deepEqual(parseRange(header, size), expected)
    })
  }
})
