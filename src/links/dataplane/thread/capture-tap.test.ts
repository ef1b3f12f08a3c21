import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { Region } from '../../../platform/native/region.ts'
import { PortBlocks } from './block-exchange.ts'
import { CaptureTap } from './capture-tap.ts'
import { Outbox } from './outbox.ts'
import type { ThreadEvent } from './thread-calls.ts'
import type { WallClock } from './wall-clock.ts'

const clock = { seconds: 1_700_000_000, microseconds: 123_456 } as WallClock
const jumboBytes = 9216

/** Blocks that go to a list, and come back when the test returns them. */
function openExchange() {
  const { port1, port2 } = new MessageChannel()
  const events: ThreadEvent[] = []
  return {
    events,
    blocks: new PortBlocks({ returns: port2, post: (event) => events.push(event) }),
    giveBack: (key: number) => port1.postMessage({ key, block: new ArrayBuffer(256 * 1024) }),
    [Symbol.dispose]: () => port1.close(),
  }
}

function outboxOf(...lengths: number[]): Outbox {
  const outbox = new Outbox()
  const source = new Region(2 * jumboBytes)
  for (const length of lengths) outbox.add(source, 0, length)
  return outbox
}

describe('CaptureTap', () => {
  it('hands its records over when it is flushed, which is due soon after the first', () => {
    using exchange = openExchange()
    const tap = new CaptureTap(7, exchange.blocks)

    assert.equal(tap.flushAt, Infinity)
    tap.record(outboxOf(60, 100), clock, 1000)
    tap.record(outboxOf(9216), clock, 1030)
    assert.ok(tap.flushAt > 1000 && tap.flushAt <= 1050)
    tap.flush()
    tap.flush()

    assert.equal(tap.flushAt, Infinity)
    const [handed, ...more] = exchange.events
    assert.deepEqual(more, [])
    assert.ok(handed?.event === 'block')
    assert.deepEqual([handed.key, handed.length], [7, 3 * 16 + 60 + 100 + 9216])
    const header = Buffer.from(handed.block, 16 + 60, 16)
    assert.deepEqual(
      [0, 4, 8, 12].map((at) => header.readUInt32LE(at)),
      [1_700_000_000, 123_456, 100, 100],
    )
  })

  it('hands a block over as soon as it is full', () => {
    using exchange = openExchange()
    const tap = new CaptureTap(7, exchange.blocks)

    for (let count = 0; count < 30; count += 1) tap.record(outboxOf(jumboBytes), clock, 1000)

    assert.equal(exchange.events.length, 1)
    assert.equal(tap.outstanding, 1)
  })

  it('fails once, when too much of it is unwritten, and goes on when blocks come back in time', () => {
    using exchange = openExchange()
    const tap = new CaptureTap(7, exchange.blocks)
    const fill = (blocks: number) => {
      for (let count = 0; count < blocks * 28; count += 1) tap.record(outboxOf(jumboBytes), clock, 1000)
    }

    fill(400)
    for (let count = 0; count < 390; count += 1) exchange.giveBack(7)
    fill(400)
    assert.equal(tap.hasFailed, false)
    fill(400)

    assert.equal(tap.hasFailed, true)
    assert.equal(exchange.events.filter(({ event }) => event === 'captureOverrun').length, 1)
  })
})
