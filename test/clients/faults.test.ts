import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { isLikely } from '../support/binomial.ts'
import { put } from '../support/lab.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { createUdpLab, delayMsOf, numberedFrame, numberOf, type Station, type UdpLab } from '../support/udp-lab.ts'
import { waitUntil } from '../support/wait-until.ts'

const frames = 6000
const burst = 50

let server: TestServer
let lab: UdpLab
before(async () => {
  server = await startTestServer()
})
after(() => server[Symbol.asyncDispose]())
beforeEach(async () => {
  lab = await createUdpLab(server)
})
afterEach(() => lab[Symbol.asyncDispose]())

interface Count {
  readonly frames_in: number
  readonly frames_out: number
  readonly queued_frames: number
  readonly dropped: Record<string, number>
}

async function counts(direction: 'forward' | 'reverse'): Promise<Count> {
  return (await server.ask(`${lab.linkPath}/statistics`)).body[direction]
}

/** Sends numbered frames and waits until all that get through have arrived. */
async function exchange(from: Station, to: Station, count = frames, timeMs?: number): Promise<Count> {
  const direction = from === lab.left ? 'forward' : 'reverse'
  const before = await counts(direction)
  to.arrivals.length = 0
  for (let number = 0; number < count; number += burst) {
    await Promise.all(
      Array.from({ length: burst }, (_, index) => from.send(numberedFrame(number + index, 100, timeMs))),
    )
  }
  return waitUntil('all frames are through', async () => {
    const now = await counts(direction)
    const passed = now.frames_out - before.frames_out
    if (now.frames_in - before.frames_in < count || now.queued_frames > 0) return false
    return to.arrivals.length >= passed && to.arrivals.length === passed ? { ...now, frames_out: passed } : false
  })
}

const bothWays = () =>
  [
    ['forward', lab.left, lab.right],
    ['reverse', lab.right, lab.left],
  ] as const

describe('a link as emulators at UDP ports measure it', () => {
  it('without filters carries every frame unchanged and in order', async () => {
    for (const [, from, to] of bothWays()) {
      await exchange(from, to)
      assert.deepEqual(
        to.arrivals.map(({ frame }) => numberOf(frame)),
        Array.from({ length: frames }, (_, number) => number),
      )
    }
  })

  for (const percent of [0.5, 5, 50]) {
    it(`loses ${percent} % of the frames of each direction, by chance`, async () => {
      await put(server, lab.linkPath, { filters: { packet_loss: [percent] } })
      for (const [direction, from, to] of bothWays()) {
        const { dropped } = await exchange(from, to)
        const lost = frames - to.arrivals.length

        assert.ok(isLikely(lost, frames, percent / 100), `${lost} of ${frames} lost ${direction}`)
        assert.equal(dropped['packet_loss'], lost)
      }
    })
  }

  it('drops exactly every third frame of each direction, whatever the other does', async () => {
    await put(server, lab.linkPath, { filters: { frequency_drop: [3] } })
    for (let number = 0; number < frames; number += 1) {
      await lab.left.send(numberedFrame(number))
      await lab.right.send(numberedFrame(number))
    }
    for (const [, , to] of bothWays()) {
      await waitUntil('two thirds have arrived', () => to.arrivals.length === (frames / 3) * 2)
      const numbers = to.arrivals.map(({ frame }) => numberOf(frame))
      assert.deepEqual(
        numbers,
        Array.from({ length: frames }, (_, number) => number).filter((number) => number % 3 !== 2),
      )
    }
  })

  it('carries nothing at frequency -1', async () => {
    await put(server, lab.linkPath, { filters: { frequency_drop: [-1] } })
    await exchange(lab.left, lab.right)

    assert.equal(lab.right.arrivals.length, 0)
  })

  it('corrupts 10 % of the frames of each direction by one bit behind the header', async () => {
    await put(server, lab.linkPath, { filters: { corrupt: [10] } })
    for (const [direction, from, to] of bothWays()) {
      await exchange(from, to, frames, 0)
      assert.equal(to.arrivals.length, frames)
      const flipped = to.arrivals.map(({ frame }, number) => flippedBits(frame, number))
      const corrupted = flipped.filter((bits) => bits > 0)

      assert.ok(isLikely(corrupted.length, frames, 0.1), `${corrupted.length} of ${frames} corrupted ${direction}`)
      assert.ok(corrupted.every((bits) => bits === 1))
      assert.ok(to.arrivals.every(({ frame }) => frame.subarray(0, 14).equals(numberedFrame(0).subarray(0, 14))))
    }
  })

  it('delays every frame of each direction by at least what was set, in order, without losing any', async () => {
    await put(server, lab.linkPath, { filters: { delay: [60, 20] } })
    for (const [, from, to] of bothWays()) {
      await exchange(from, to)
      const delaysMs = to.arrivals.map(delayMsOf)

      assert.ok(Math.min(...delaysMs) >= 40, `${Math.min(...delaysMs)}`)
      assert.deepEqual(
        to.arrivals.map(({ frame }) => numberOf(frame)),
        Array.from({ length: frames }, (_, number) => number),
      )
    }
  })

  it('drops what an expression matches and nothing else', async () => {
    await put(server, lab.linkPath, { filters: { bpf: ['ether[14:4] & 1 = 1\nether[14:4] & 2 = 2'] } })
    await exchange(lab.left, lab.right)

    assert.deepEqual(
      lab.right.arrivals.map(({ frame }) => numberOf(frame)),
      Array.from({ length: frames / 4 }, (_, index) => index * 4),
    )
  })

  it('takes frames from its own peer only', async () => {
    const stranger = await createUdpLab(server)
    try {
      const { linkPath } = lab
      const cloudPort = await cloudPortOf(linkPath)
      const { createSocket } = await import('node:dgram')
      const socket = createSocket('udp4')
      for (let number = 0; number < 100; number += 1)
        await new Promise<void>((resolve) =>
          socket.send(numberedFrame(number), cloudPort, '127.0.0.1', () => resolve()),
        )
      socket.close()
      await exchange(lab.left, lab.right, burst)

      assert.equal((await counts('forward')).frames_in, burst)
    } finally {
      await stranger[Symbol.asyncDispose]()
    }
  })

  it('survives whatever an emulator sends: empty, short, oversize and random frames', async () => {
    const random = (length: number, seed: number) =>
      Buffer.from(Array.from({ length }, (_, index) => (index * 2_654_435_761 + seed * 40_503) & 255))
    await put(server, lab.linkPath, { filters: { corrupt: [100], bpf: ['icmp or tcp or ip6 or vlan'], delay: [1] } })
    const lengths = [0, 1, 5, 13, 14, 15, 17, 18, 20, 33, 60, 1500, 9216, 9217, 12_000, 60_000]
    for (const [index, length] of lengths.entries())
      for (let round = 0; round < 20; round += 1) await lab.left.send(random(length, index * 100 + round))
    await waitUntil('all are taken in', async () => (await counts('forward')).frames_in === lengths.length * 20)
    await put(server, lab.linkPath, { filters: {} })
    await waitUntil('nothing is queued', async () => (await counts('forward')).queued_frames === 0)
    lab.right.arrivals.length = 0
    await lab.left.send(numberedFrame(7))
    await waitUntil('a good frame arrives', () => lab.right.arrivals.some(({ frame }) => numberOf(frame) === 7))

    const { dropped } = await counts('forward')
    assert.equal(dropped['empty'], 20)
    assert.equal(dropped['oversize'], 60)
  })

  it('passes jumbo frames of 9,216 bytes whole', async () => {
    const frame = numberedFrame(1, 9216)
    await lab.left.send(frame)
    const [arrival] = await waitUntil('the frame', () => lab.right.arrivals.length > 0 && lab.right.arrivals)

    assert.ok(arrival?.frame.equals(frame))
  })
})

async function cloudPortOf(linkPath: string): Promise<number> {
  const link = (await server.ask(linkPath)).body
  const node = (await server.ask(`${lab.base}/nodes/${link.nodes[0].node_id}`)).body
  return node.properties.ports_mapping[0].lport
}

/** How many bits differ from the frame that was sent. */
function flippedBits(frame: Buffer, number: number): number {
  const expected = numberedFrame(number, frame.length, 0)
  let bits = 0
  for (let index = 0; index < frame.length; index += 1)
    bits += ((frame[index] ?? 0) ^ (expected[index] ?? 0)).toString(2).replaceAll('0', '').length
  return bits
}
