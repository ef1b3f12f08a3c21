import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { DataPlane } from './data-plane.ts'
import { TestLink, udpPort } from './test-link.ts'
import { numberedFrame, numberOf, TestPeer, until } from './test-peer.ts'

const logger = pino({ level: 'silent' })
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('DataPlane', () => {
  it('starts no process before the first link', async () => {
    await using plane = new DataPlane({ logger })

    assert.equal(plane.pid, undefined)
  })

  it('carries frames both ways unchanged', async () => {
    await using link = await TestLink.open()
    const [first, second] = link.peers

    await link.send(Buffer.from('from the first to the second'))
    await second.send(Buffer.from('and back'), link.ports[1])

    await Promise.all([first.received(1), second.received(1)])
    assert.equal(second.frames[0]?.toString(), 'from the first to the second')
    assert.equal(first.frames[0]?.toString(), 'and back')
  })

  for (const size of [1, 14, 60, 1514, 9216]) {
    it(`carries frames of ${size} bytes`, async () => {
      await using link = await TestLink.open()

      await link.send(Buffer.alloc(size, 7))
      await link.peers[1].received(1)

      assert.deepEqual(link.peers[1].frames, [Buffer.alloc(size, 7)])
    })
  }

  it('drops and counts datagrams that are no frames', async () => {
    await using link = await TestLink.open()

    await link.send(Buffer.alloc(0), Buffer.alloc(9217), Buffer.alloc(60_000), numberedFrame(1))
    await link.peers[1].received(1)

    const { forward } = await link.plane.statistics('link')
    assert.equal(forward.dropped['empty'], 1)
    assert.equal(forward.dropped['oversize'], 2)
    assert.equal(link.peers[1].frames.length, 1)
  })

  it('keeps the order of bursts of mixed sizes', async () => {
    await using link = await TestLink.open()
    const sizes = [64, 64, 64, 1400, 1400, 200, 9000, 9000, 64, 18]

    await link.send(...numbers(2000).map((number) => numberedFrame(number, sizes[number % sizes.length])))
    await link.peers[1].received(2000)

    assert.deepEqual(link.peers[1].frames.map(numberOf), numbers(2000))
    assert.ok(link.peers[1].frames.every((frame, number) => frame.length === sizes[number % sizes.length]))
  })

  it('counts frames and bytes of each direction', async () => {
    await using link = await TestLink.open()

    await link.send(Buffer.alloc(60), Buffer.alloc(100))
    await link.peers[1].received(2)
    await until(async () => (await link.plane.statistics('link')).forward.framesOut === 2)

    const { forward, reverse } = await link.plane.statistics('link')
    assert.deepEqual(
      [forward.framesIn, forward.bytesIn, forward.framesOut, forward.bytesOut, reverse.framesIn],
      [2, 160, 2, 160, 0],
    )
  })

  it('takes frames of its peer only', async () => {
    await using link = await TestLink.open()
    await using stranger = await TestPeer.open()

    await stranger.send(Buffer.from('stranger'), link.ports[0]).catch(() => undefined)
    await link.send(Buffer.from('friend'))
    await link.peers[1].received(1)

    assert.deepEqual(link.peers[1].frames.map(String), ['friend'])
  })

  it('drops and counts frames while the far end is missing', async () => {
    await using link = await TestLink.open()
    await link.plane.detachPort('link', 1)
    await link.plane.detachPort('link', 1)

    await link.send(numberedFrame(1))
    await until(async () => (await link.plane.statistics('link')).forward.dropped['no_port'] === 1)

    const { local } = await link.plane.attachPort('link', 1, udpPort(link.peers[1].port, link.ports[1]))
    assert.equal(local?.port, link.ports[1])
    await link.send(numberedFrame(2))
    await link.peers[1].received(1)
    assert.deepEqual(link.peers[1].frames.map(numberOf), [2])
  })

  it('goes on when nobody listened at the far end for a while', async () => {
    await using link = await TestLink.open()
    const late = await TestPeer.open()
    const { port } = late
    await late[Symbol.asyncDispose]()
    await link.plane.detachPort('link', 1)
    await link.plane.attachPort('link', 1, udpPort(port))

    await link.send(...numbers(50).map((number) => numberedFrame(number)))
    await until(async () => (await link.plane.statistics('link')).forward.framesIn === 50)
    await using peer = await TestPeer.open(port)
    await link.send(numberedFrame(50))
    await peer.received(1)

    assert.deepEqual(peer.frames.map(numberOf), [50])
  })

  it('carries many links at once', async () => {
    await using plane = new DataPlane({ logger, threads: 2 })
    await using sender = await TestPeer.open()
    await using receiver = await TestPeer.open()
    const ports: number[] = []
    for (const number of numbers(40)) {
      await plane.openLink(`link ${number}`, { filters: {}, suspended: false })
      const { local } = await plane.attachPort(`link ${number}`, 0, udpPort(sender.port))
      await plane.attachPort(`link ${number}`, 1, udpPort(receiver.port))
      ports.push(local?.port ?? 0)
    }

    for (const [number, port] of ports.entries()) await sender.send(numberedFrame(number), port)
    await receiver.received(40)

    assert.deepEqual(
      receiver.frames.map(numberOf).sort((a, b) => a - b),
      numbers(40),
    )
    for (const number of numbers(40)) {
      const { forward } = await plane.statistics(`link ${number}`)
      assert.equal(forward.framesIn, 1)
    }
  })

  describe('refuses', () => {
    it('links that are not open', async () => {
      await using plane = new DataPlane({ logger })
      const { message } = new Error('Cannot find link "x"')

      await assert.rejects(plane.attachPort('x', 0, udpPort(1)), { code: 'not_found', message })
      await assert.rejects(plane.statistics('x'), { code: 'not_found' })
      await assert.rejects(plane.setFilters('x', {}), { code: 'not_found' })
      await plane.closeLink('x')
    })

    it('a port that is in use', async () => {
      await using link = await TestLink.open()
      await using other = await TestPeer.open()
      await link.plane.detachPort('link', 1)

      await assert.rejects(link.plane.attachPort('link', 1, udpPort(1, other.port)), {
        code: 'conflict',
        message: `Cannot listen on 127.0.0.1:${other.port}: the port is in use`,
      })
    })

    it('a second, different port at one end, and takes the same again', async () => {
      await using link = await TestLink.open()

      const again = await link.plane.attachPort('link', 0, udpPort(link.peers[0].port))
      assert.equal(again.local?.port, link.ports[0])
      await assert.rejects(link.plane.attachPort('link', 0, udpPort(9)), { code: 'conflict' })
    })

    for (const [what, host, port] of [
      ['an address of another machine', '192.0.2.1', 0],
      ['a port beyond the range', '127.0.0.1', 65_536],
      ['an unknown host', 'no.such.host.invalid', 0],
      ['another address family', '::1', 0],
    ] as const) {
      it(what, async () => {
        await using link = await TestLink.open()
        await link.plane.detachPort('link', 0)

        await assert.rejects(
          link.plane.attachPort('link', 0, {
            kind: 'udp',
            local: { host, port },
            peer: { host: '127.0.0.1', port: 9 },
          }),
          { code: 'invalid' },
        )
      })
    }
  })

  it('frees the ports of a closed link and of a stopped plane', async () => {
    const link = await TestLink.open()
    await link.plane.closeLink('link')
    await using first = await TestPeer.open(link.ports[0])
    await assert.rejects(link.plane.statistics('link'), { code: 'not_found' })
    const pid = link.plane.pid ?? 0

    await link[Symbol.asyncDispose]()

    assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
    await assert.rejects(link.plane.openLink('link', { filters: {}, suspended: false }), { code: 'unavailable' })
    assert.ok(first.port > 0)
  })
})
