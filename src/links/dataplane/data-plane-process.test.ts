import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import { TestLink, udpPort } from './test-link.ts'
import { numberedFrame, numberOf, until } from './test-peer.ts'

describe('DataPlane process', () => {
  it('is started again after a crash, with ports, filters and suspension as they were', async () => {
    await using link = await TestLink.open({ frequency_drop: [2] })
    const pid = link.plane.pid ?? 0

    process.kill(pid, 'SIGKILL')
    await until(() => link.plane.pid !== pid)
    await link.plane.statistics('link')
    await link.send(numberedFrame(1), numberedFrame(2), numberedFrame(3))
    await link.peers[1].received(2)

    assert.deepEqual(link.peers[1].frames.map(numberOf), [1, 3])
    assert.equal((await link.plane.statistics('link')).forward.dropped['frequency_drop'], 1)
  })

  it('may end in the middle of calls: they wait for the next one', async () => {
    await using link = await TestLink.open()

    const calls = [
      link.plane.setFilters('link', { packet_loss: [100] }),
      link.plane.setSuspended('link', true),
      link.plane.openLink('other', { filters: {}, suspended: false }),
      link.plane.attachPort('other', 0, udpPort(9)),
    ]
    process.kill(link.plane.pid ?? 0, 'SIGKILL')
    await Promise.all(calls)

    await link.plane.setSuspended('link', false)
    await link.send(numberedFrame(1))
    await until(async () => (await link.plane.statistics('link')).forward.dropped['packet_loss'] === 1)
  })

  it('ends with the process that started it', async () => {
    const parent = startParent()
    const [pid] = (await once(parent.stdout, 'data')) as [Buffer]

    parent.kill('SIGKILL')

    await until(() => !isAlive(Number(pid)))
  })

  it('stays when a signal goes to the whole group', async () => {
    await using link = await TestLink.open()
    const pid = link.plane.pid ?? 0

    process.kill(pid, 'SIGINT')
    process.kill(pid, 'SIGTERM')
    await link.send(numberedFrame(1))
    await link.peers[1].received(1)

    assert.equal(link.plane.pid, pid)
  })

  it('ends when there have been no links for a while, and comes back', async () => {
    await using link = await TestLink.open({}, { idleMs: 1 })
    const pid = link.plane.pid ?? 0

    await link.plane.closeLink('link')
    await until(() => !isAlive(pid))
    await link.plane.openLink('link', { filters: {}, suspended: false })

    assert.notEqual(link.plane.pid, pid)
    assert.equal((await link.plane.statistics('link')).forward.framesIn, 0)
  })

  it('keeps no descriptors of closed links', async () => {
    await using link = await TestLink.open()
    const count = () => readdirSync(`/proc/${link.plane.pid}/fd`).length
    const atFirst = count()

    for (let turn = 0; turn < 20; turn += 1) {
      await link.plane.openLink('other', { filters: {}, suspended: false })
      await link.plane.attachPort('other', 0, udpPort(9))
      await link.plane.attachPort('other', 1, udpPort(9))
      await link.plane.closeLink('other')
    }

    // The second data thread has come, with its doorbell and Node's own descriptors.
    assert.ok(count() <= atFirst + 12, `${count()} descriptors, ${atFirst} at first`)
  })
})

const isRoot = process.getuid?.() === 0

describe('DataPlane in a network namespace', { skip: isRoot ? false : 'needs root' }, () => {
  it('joins a port there to a port here', async () => {
    using space = await openNamespace()
    await using link = await TestLink.open()
    await link.plane.detachPort('link', 1)
    using _echo = startEcho(space.path, 20_001)

    await link.plane.attachPort('link', 1, udpPort(20_001, 30_001, space.path))
    await until(async () => {
      await link.send(Buffer.from('through the namespace'))
      return link.peers[0].frames.length > 0
    })

    assert.equal(link.peers[0].frames[0]?.toString(), 'through the namespace')
  })

  it('carries bursts of frames larger than the MTU there', async () => {
    using space = await openNamespace(1280)
    await using link = await TestLink.open({ delay: [50] })
    await link.plane.detachPort('link', 1)
    await link.plane.attachPort('link', 1, udpPort(20_001, 30_001, space.path))
    using _echo = startEcho(space.path, 20_001)
    await until(async () => {
      await link.send(Buffer.from('is it there?'))
      return link.peers[0].frames.length > 0
    })

    await link.send(...Array.from({ length: 40 }, (_, number) => numberedFrame(number, 3000)))
    const large = () => link.peers[0].frames.filter((frame) => frame.length === 3000)
    await until(() => large().length === 40)

    assert.deepEqual(
      large().map(numberOf),
      Array.from({ length: 40 }, (_, number) => number),
    )
    assert.equal((await link.plane.statistics('link')).forward.dropped['send_failed'], 0)
  })

  it('uses the same port number in several namespaces, and here after that', async () => {
    using first = await openNamespace()
    using second = await openNamespace()
    await using link = await TestLink.open()
    await link.plane.openLink('other', { filters: {}, suspended: false })

    for (const [end, space] of [first, second].entries()) {
      const { local } = await link.plane.attachPort('other', end as 0 | 1, udpPort(9, link.ports[0], space.path))
      assert.equal(local?.port, link.ports[0])
    }
    await assert.rejects(link.plane.attachPort('link', 1, udpPort(9, link.ports[0])), { code: 'conflict' })
  })

  it('that is gone, or is none, is refused', async () => {
    await using link = await TestLink.open()
    await link.plane.detachPort('link', 1)

    await assert.rejects(link.plane.attachPort('link', 1, udpPort(9, 0, '/proc/1/ns/none')), {
      code: 'unavailable',
      message: 'Cannot enter network namespace "/proc/1/ns/none": it does not exist (any more)',
    })
    await assert.rejects(link.plane.attachPort('link', 1, udpPort(9, 0, '/etc/hostname')), {
      code: 'unavailable',
      message: /EINVAL/,
    })
    await link.plane.attachPort('link', 1, udpPort(9))
  })
})

interface Namespace extends Disposable {
  readonly path: string
}

/** A network namespace that lives as long as a sleeping process in it. */
async function openNamespace(mtu = 65_536): Promise<Namespace> {
  const script = `ip link set lo up mtu ${mtu} && echo up && exec sleep 1000`
  const sleeper = spawn('unshare', ['--net', 'sh', '-c', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(sleeper.stdout, 'data')
  return { path: `/proc/${sleeper.pid}/ns/net`, [Symbol.dispose]: () => sleeper.kill('SIGKILL') }
}

/** A program in the namespace that sends every datagram back. */
function startEcho(namespace: string, port: number): Disposable {
  const program = `
    const socket = require('node:dgram').createSocket({ type: 'udp4', recvBufferSize: 4_000_000 })
    socket.on('message', (frame, from) => socket.send(frame, from.port, from.address)).bind(${port}, '127.0.0.1')
  `
  const echo = spawn('nsenter', [`--net=${namespace}`, process.execPath, '--eval', program])
  return { [Symbol.dispose]: () => echo.kill('SIGKILL') }
}

function startParent(): ChildProcess & { stdout: NodeJS.ReadableStream } {
  const program = `
    import { pino } from 'pino'
    import { DataPlane } from ${JSON.stringify(import.meta.resolve('./data-plane.ts'))}
    const plane = new DataPlane({ logger: pino({ level: 'silent' }) })
    await plane.openLink('link', { filters: {}, suspended: false })
    console.log(plane.pid)
  `
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return parent as ChildProcess & { stdout: NodeJS.ReadableStream }
}

function isAlive(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)])
      .toString()
      .startsWith('Z')
  } catch {
    return false
  }
}
