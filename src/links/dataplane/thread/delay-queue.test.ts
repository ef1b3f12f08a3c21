import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Region } from '../../../platform/native/region.ts'
import { ChunkPool, DelayQueue, type FrameSource } from './delay-queue.ts'
import { Outbox } from './outbox.ts'

/** A source whose frame number N has the length N and is filled with N. */
function frameSource(): FrameSource {
  const slots = new Region(9216 * 2)
  return {
    slots,
    lengthOf: (index) => index,
    offsetOf(index) {
      slots.bytes.fill(index & 0xff)
      return 0
    },
  }
}

/** Takes out what is due, and gives the lengths. */
function take(queue: DelayQueue, nowMs: number): number[] {
  const outbox = new Outbox()
  queue.collect(nowMs, outbox)
  const lengths = [...outbox.lengths.subarray(0, outbox.count)]
  for (const [index, length] of lengths.entries()) {
    const offset = outbox.offsets[index] ?? 0
    const frame = outbox.sources[index]?.bytes.subarray(offset, offset + length)
    assert.deepEqual(frame, Buffer.alloc(length, length & 0xff))
  }
  queue.remove(outbox.count)
  return lengths
}

describe('DelayQueue', () => {
  const open = (limitBytes = 1e9) => new DelayQueue(new ChunkPool(), limitBytes)

  it('gives frames in order, each when its time has come', () => {
    const queue = open()
    const source = frameSource()

    for (const [index, departureMs] of [10, 20, 30].entries()) queue.push(departureMs, source, index + 60)

    assert.equal(queue.firstDeparture, 10)
    assert.deepEqual(take(queue, 9.9), [])
    assert.deepEqual(take(queue, 20), [60, 61])
    assert.deepEqual([queue.firstDeparture, queue.frames, queue.bytes], [30, 1, 62])
    assert.deepEqual(take(queue, 99), [62])
    assert.deepEqual(
      [queue.firstDeparture, queue.lastDeparture, queue.frames, queue.bytes],
      [Infinity, -Infinity, 0, 0],
    )
  })

  it('lets no frame leave before one that came earlier', () => {
    const queue = open()
    const source = frameSource()

    queue.push(50, source, 60)
    queue.push(10, source, 61)

    assert.deepEqual(take(queue, 49), [])
    assert.deepEqual(take(queue, 50), [60, 61])
  })

  it('keeps frames of all sizes over many chunks', () => {
    const queue = open()
    const source = frameSource()
    const sizes = Array.from({ length: 2000 }, (_, index) => 1 + ((index * 37) % 9216))

    for (const [index, size] of sizes.entries()) assert.ok(queue.push(index, source, size))
    const taken: number[] = []
    for (let nowMs = 0; queue.frames > 0; nowMs += 7) taken.push(...take(queue, nowMs))

    assert.deepEqual(taken, sizes)
  })

  it('is bounded, and takes frames again when there is room', () => {
    const queue = open(3 * (16 + 64))
    const source = frameSource()

    assert.deepEqual(
      [1, 2, 3, 4].map((departureMs) => queue.push(departureMs, source, 64)),
      [true, true, true, false],
    )
    take(queue, 1)
    assert.ok(queue.push(9, source, 60))
    assert.equal(queue.push(9, source, 1), false)
  })

  it('can be cleared and used again', () => {
    const queue = open()
    const source = frameSource()

    for (let index = 0; index < 100; index += 1) queue.push(1, source, 9000)
    queue.clear()
    queue.push(5, source, 60)

    assert.deepEqual([queue.frames, queue.bytes, queue.firstDeparture], [1, 60, 5])
    assert.deepEqual(take(queue, 5), [60])
  })
})
