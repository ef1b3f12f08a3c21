import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { TestLink } from './test-link.ts'
import { readPcap } from './test-pcap.ts'
import { numberedFrame, numberOf, until } from './test-peer.ts'

const needsRoot = process.getuid?.() === 0 ? false : 'needs root'
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const frames = (count: number, first = 0) => numbers(count).map((number) => numberedFrame(first + number))

describe('DataPlane captures', () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backhaul-captures-'))
  })
  after(() => rm(folder, { recursive: true }))
  const pathOf = (name: string) => join(folder, `${name}.pcap`)

  it('have their header when they have started', async () => {
    await using link = await TestLink.open()

    await link.plane.startCapture('link', 'a', { path: pathOf('header') })

    assert.deepEqual(await readPcap(pathOf('header')), [])
  })

  it('hold every frame that leaves, of both directions, with the time it left', async () => {
    await using link = await TestLink.open({ frequency_drop: [2], delay: [20] })
    const startMs = Date.now()

    await link.plane.startCapture('link', 'a', { path: pathOf('both') })
    await link.send(...frames(4))
    await link.peers[1].received(2)
    await link.peers[1].send(numberedFrame(100), link.ports[1])
    await link.peers[0].received(1)
    await link.plane.stopCapture('link', 'a')

    const captured = await readPcap(pathOf('both'))
    assert.deepEqual(
      captured.map(({ frame }) => numberOf(frame)),
      [0, 2, 100],
    )
    assert.ok(captured.every(({ timeMs }) => timeMs >= startMs + 19))
    assert.deepEqual(captured[0]?.frame, numberedFrame(0))
  })

  it('can be followed while they run', async () => {
    await using link = await TestLink.open()

    await link.plane.startCapture('link', 'a', { path: pathOf('live') })
    await link.send(...frames(3))

    await until(async () => (await readPcap(pathOf('live'))).length === 3)
  })

  it('are complete when they have stopped, however much came', async () => {
    await using link = await TestLink.open()

    await link.plane.startCapture('link', 'a', { path: pathOf('much') })
    await link.send(...numbers(5000).map((number) => numberedFrame(number, 1000)))
    await link.peers[1].received(5000)
    await link.plane.stopCapture('link', 'a')

    const captured = await readPcap(pathOf('much'))
    assert.deepEqual(
      captured.map(({ frame }) => numberOf(frame)),
      numbers(5000),
    )
    const count = execFileSync('tcpdump', ['--count', '-r', pathOf('much')], { stdio: ['ignore', 'pipe', 'ignore'] })
    assert.match(count.toString(), /^5000 packets/)
  })

  it('start and stop one by one, and again into a new file', async () => {
    await using link = await TestLink.open()

    await link.plane.startCapture('link', 'a', { path: pathOf('a') })
    await link.plane.startCapture('link', 'a', { path: pathOf('a') })
    await link.send(numberedFrame(1))
    await link.peers[1].received(1)
    await link.plane.startCapture('link', 'b', { path: pathOf('b') })
    await link.send(numberedFrame(2))
    await link.peers[1].received(2)
    await link.plane.stopCapture('link', 'a')
    await link.plane.stopCapture('link', 'a')
    await link.send(numberedFrame(3))
    await link.peers[1].received(3)
    await link.plane.closeLink('link')

    assert.deepEqual(
      (await readPcap(pathOf('a'))).map(({ frame }) => numberOf(frame)),
      [1, 2],
    )
    assert.deepEqual(
      (await readPcap(pathOf('b'))).map(({ frame }) => numberOf(frame)),
      [2, 3],
    )
  })

  it('that cannot be written are refused, and the link goes on', async () => {
    await using link = await TestLink.open()

    await assert.rejects(link.plane.startCapture('link', 'a', { path: join(folder, 'none', 'x.pcap') }), {
      code: 'unavailable',
      message: /^Cannot write capture file ".*none\/x\.pcap": ENOENT/,
    })
    await link.send(numberedFrame(1))
    await link.peers[1].received(1)
  })

  it('end with a reason when the disk is full, and the link goes on', { skip: needsRoot }, async () => {
    const small = join(folder, 'small')
    execFileSync('mkdir', [small])
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', small])
    try {
      const failures: string[][] = []
      await using link = await TestLink.open({}, { onCaptureFailed: (...failure) => failures.push(failure) })

      await link.plane.startCapture('link', 'a', { path: join(small, 'x.pcap') })
      await link.send(...numbers(200).map((number) => numberedFrame(number, 1000)))
      await until(() => failures.length > 0)

      assert.deepEqual(failures[0]?.slice(0, 2), ['link', 'a'])
      assert.match(failures[0]?.[2] ?? '', /ENOSPC/)
      await readPcap(join(small, 'x.pcap'))
      await link.peers[1].received(200)
      await link.plane.stopCapture('link', 'a')
    } finally {
      execFileSync('umount', [small])
    }
  })

  it('go on in the same file after a crash, behind its last whole record', async () => {
    await using link = await TestLink.open()
    const path = pathOf('crash')
    await link.plane.startCapture('link', 'a', { path })
    await link.send(...frames(3))
    await until(async () => (await readPcap(path)).length === 3)

    const { size } = await stat(path)
    await appendFile(path, (await readFile(path)).subarray(24, 50))
    process.kill(link.plane.pid ?? 0, 'SIGKILL')
    await until(async () => (await stat(path)).size === size)
    await link.plane.statistics('link')
    await link.send(...frames(3, 3))
    await link.peers[1].received(6)
    await link.plane.stopCapture('link', 'a')

    assert.deepEqual(
      (await readPcap(path)).map(({ frame }) => numberOf(frame)),
      numbers(6),
    )
  })
})
