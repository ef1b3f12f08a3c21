import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { delay } from './delay.ts'

describe('delay', () => {
  for (const [settings, roll, departure] of [
    [[20], 0.9, 1020],
    [[0.25, 0], 0.9, 1000.25],
    [[20, 5], 0, 1015],
    [[20, 5], 0.5, 1020],
    [[20, 5], 0.75, 1022.5],
    [[20, 50], 0, 1000],
  ] as const) {
    it(`lets a frame of 1000 ms leave at ${departure} ms for ${settings} when the roll is ${roll}`, () => {
      const filter = delay.create(settings, () => roll)

      assert.equal(filter.depart?.(1000, 60), departure)
    })
  }
})
