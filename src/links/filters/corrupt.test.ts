import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { corrupt } from './corrupt.ts'
import { seededRandom } from './random.ts'

/** Gives its numbers in turn. */
function scripted(...numbers: number[]): () => number {
  return () => numbers.shift() ?? 0
}

describe('corrupt', () => {
  it('flips the first bit behind the header, or the last of the frame, and nothing around it', () => {
    for (const [roll, index, value] of [
      [0, 5 + 14, 1],
      [0.99999, 5 + 63, 128],
    ] as const) {
      const bytes = Buffer.alloc(80)
      const filter = corrupt.create([50], scripted(0.49, roll))

      assert.equal(filter.judge?.(bytes, 5, 64), 1)
      const expected = Buffer.alloc(80)
      expected[index] = value
      assert.deepEqual(bytes, expected)
    }
  })

  it('leaves a frame alone when the roll says so, or when it is only a header', () => {
    const bytes = Buffer.alloc(64)

    corrupt.create([50], scripted(0.5)).judge?.(bytes, 0, 64)
    corrupt.create([100], scripted(0, 0)).judge?.(bytes, 0, 14)

    assert.deepEqual(bytes, Buffer.alloc(64))
  })

  it('reaches every bit behind the header', () => {
    const filter = corrupt.create([100], seededRandom(3))
    const touched = Buffer.alloc(20)

    for (let count = 0; count < 2000; count += 1) {
      const bytes = Buffer.alloc(20)
      filter.judge?.(bytes, 0, 20)
      for (const [index, byte] of bytes.entries()) touched[index] = (touched[index] ?? 0) | byte
    }

    assert.deepEqual(touched, Buffer.concat([Buffer.alloc(14), Buffer.alloc(6, 255)]))
  })
})
