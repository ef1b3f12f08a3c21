import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { packetLoss } from './packet-loss.ts'
import { seededRandom } from './random.ts'

const frame = Buffer.alloc(60)

describe('packet_loss', () => {
  for (const [percent, roll, verdict] of [
    [30, 0.29, 0],
    [30, 0.3, 1],
    [0.5, 0.0049, 0],
    [0.5, 0.005, 1],
    [100, 0.999999, 0],
    [0, 0, 1],
  ] as const) {
    it(`answers ${verdict} at ${percent} % when the roll is ${roll}`, () => {
      const filter = packetLoss.create([percent], () => roll)

      assert.equal(filter.judge?.(frame, 0, 60), verdict)
    })
  }

  it('drops the share it is told to', () => {
    const filter = packetLoss.create([2], seededRandom(5))

    let passed = 0
    for (let count = 0; count < 100_000; count += 1) passed += filter.judge?.(frame, 0, 60) ?? 0

    assert.ok(Math.abs(passed - 98_000) < 200, String(passed))
  })
})
