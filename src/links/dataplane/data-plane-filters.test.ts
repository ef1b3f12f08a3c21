import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TestLink } from './test-link.ts'
import { numberedFrame, numberOf, until } from './test-peer.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const frames = (count: number, first = 0) => numbers(count).map((number) => numberedFrame(first + number))

describe('DataPlane filters', () => {
  it('delay each frame by the latency, all of a burst at once', async () => {
    await using link = await TestLink.open({ delay: [150] })
    const startMs = performance.now()

    await link.send(...frames(200))
    await link.peers[1].received(200)

    const [, second] = link.peers
    assert.deepEqual(second.frames.map(numberOf), numbers(200))
    assert.ok(second.times.every((timeMs) => timeMs - startMs >= 150))
  })

  it('keep the order when they delay with jitter', async () => {
    await using link = await TestLink.open({ delay: [20, 20] })

    await link.send(...frames(1000))
    await link.peers[1].received(1000)

    assert.deepEqual(link.peers[1].frames.map(numberOf), numbers(1000))
  })

  it('tell how much they hold back', async () => {
    await using link = await TestLink.open({ delay: [30_000] })

    await link.send(...frames(10))
    await until(async () => (await link.plane.statistics('link')).forward.queuedFrames === 10)

    const { forward } = await link.plane.statistics('link')
    assert.deepEqual([forward.queuedBytes, forward.framesIn, forward.framesOut], [640, 10, 0])
  })

  it('hold back a bounded amount and count what they drop', async () => {
    await using link = await TestLink.open({ delay: [30_000] }, { queueLimitBytes: 10 * 80 })

    await link.send(...frames(15))
    await until(async () => (await link.plane.statistics('link')).forward.framesIn === 15)

    const { forward } = await link.plane.statistics('link')
    assert.deepEqual([forward.queuedFrames, forward.dropped['queue_full']], [10, 5])
  })

  it('lose and reorder nothing when the delay is shortened and removed', async () => {
    await using link = await TestLink.open({ delay: [200] })

    await link.send(...frames(100))
    await link.setFilters({ delay: [50] })
    await link.send(...frames(100, 100))
    await link.setFilters({})
    await link.send(...frames(100, 200))
    await link.peers[1].received(300)

    assert.deepEqual(link.peers[1].frames.map(numberOf), numbers(300))
  })

  it('lose and reorder nothing when they are changed again and again under load', async () => {
    await using link = await TestLink.open()
    const sets = [{ delay: [5, 3] }, {}, { delay: [1] }, { frequency_drop: [30_000] }, { corrupt: [0.0001] }]
    const changing = { isDone: false }
    const change = async () => {
      for (let turn = 0; !changing.isDone; turn += 1) await link.setFilters(sets[turn % sets.length])
    }

    const changed = change()
    await link.send(...frames(10_000))
    await link.peers[1].received(10_000)
    changing.isDone = true
    await changed

    assert.deepEqual(link.peers[1].frames.map(numberOf), numbers(10_000))
  })

  it('count each direction for itself', async () => {
    await using link = await TestLink.open({ frequency_drop: [2] })
    const [first, second] = link.peers

    for (const frame of frames(10)) {
      await first.send(frame, link.ports[0])
      await second.send(frame, link.ports[1])
    }
    await Promise.all([first.received(5), second.received(5)])

    assert.deepEqual(second.frames.map(numberOf), [0, 2, 4, 6, 8])
    assert.deepEqual(first.frames.map(numberOf), [0, 2, 4, 6, 8])
    const { forward, reverse } = await link.plane.statistics('link')
    assert.deepEqual([forward.dropped['frequency_drop'], reverse.dropped['frequency_drop']], [5, 5])
  })

  it('keep their counters when other filters change', async () => {
    await using link = await TestLink.open({ frequency_drop: [3] })

    await link.send(...frames(2))
    await link.peers[1].received(2)
    await link.setFilters({ frequency_drop: [3], delay: [1] })
    await link.send(...frames(3, 2))
    await link.peers[1].received(4)

    assert.deepEqual(link.peers[1].frames.map(numberOf), [0, 1, 3, 4])
  })

  it('drop everything and nothing when asked to', async () => {
    await using link = await TestLink.open({ packet_loss: [100] })

    await link.send(...frames(100))
    await until(async () => (await link.plane.statistics('link')).forward.dropped['packet_loss'] === 100)
    await link.setFilters({ packet_loss: [0] })
    await link.send(numberedFrame(100))
    await link.peers[1].received(1)

    assert.deepEqual(link.peers[1].frames.map(numberOf), [100])
  })

  it('flip exactly one bit behind the Ethernet header', async () => {
    await using link = await TestLink.open({ corrupt: [100] })

    await link.send(...Array.from({ length: 50 }, () => Buffer.alloc(60)))
    await link.peers[1].received(50)

    for (const frame of link.peers[1].frames) {
      assert.deepEqual(frame.subarray(0, 14), Buffer.alloc(14))
      assert.equal(setBits(frame), 1)
    }
  })
})

describe('DataPlane suspension', () => {
  it('drops and counts what comes in, and lets everything through when it ends', async () => {
    await using link = await TestLink.open()

    await link.plane.setSuspended('link', true)
    await link.send(...frames(10))
    await until(async () => (await link.plane.statistics('link')).forward.dropped['suspended'] === 10)
    await link.plane.setSuspended('link', false)
    await link.send(...frames(10, 10))
    await link.peers[1].received(10)

    assert.deepEqual(link.peers[1].frames.map(numberOf), numbers(20).slice(10))
  })

  it('lets arrive what was held back before', async () => {
    await using link = await TestLink.open({ delay: [100] })

    await link.send(...frames(5))
    await until(async () => (await link.plane.statistics('link')).forward.framesIn === 5)
    await link.plane.setSuspended('link', true)
    await link.send(...frames(5, 5))
    await link.peers[1].received(5)

    assert.deepEqual(link.peers[1].frames.map(numberOf), [0, 1, 2, 3, 4])
  })
})

function setBits(frame: Buffer): number {
  return frame.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0)
}
