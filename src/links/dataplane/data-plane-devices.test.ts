import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { secondAddress, TestDeviceLink } from './test-device-link.ts'
import { readPcap } from './test-pcap.ts'
import { until } from './test-peer.ts'
import { SegmentedSender } from './test-segmented-sender.ts'

const skip = process.getuid?.() === 0 ? false : 'network namespaces need root'
/** Ethernet, IPv4 and TCP with its timestamps. */
const headerBytes = 66
const sumOf = (numbers: readonly number[]) => numbers.reduce((all, some) => all + some, 0)

describe('DataPlane between TAP devices', { skip }, () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backhaul-devices-'))
  })
  after(() => rm(folder, { recursive: true }))

  it('carries pings', async () => {
    await using link = await TestDeviceLink.open()

    await link.ping()

    assert.ok((await link.statistics()).forward.framesOut >= 3)
  })

  for (const [what, filters, megabytes] of [
    ['nothing in between', {}, 200],
    ['delay', { delay: [1] }, 200],
    ['delay and packet loss', { delay: [1], packet_loss: [0.01] }, 200],
  ] as const) {
    it(`carries ${megabytes} MB of TCP byte for byte with ${what}`, async () => {
      await using link = await TestDeviceLink.open(filters)

      const { sent, received } = await link.transfer(megabytes)

      assert.equal(received, sent)
      await link.unplug()
      const { forward, reverse } = await link.statistics()
      for (const { framesIn, framesOut, queuedFrames, dropped } of [forward, reverse]) {
        assert.equal(framesIn, framesOut + queuedFrames + sumOf(Object.values(dropped)))
        assert.equal(dropped['malformed'], 0)
      }
    })
  }

  it('counts what passes uncut as the frames of the wire', async () => {
    await using link = await TestDeviceLink.open()

    await link.transfer(50)

    const { framesOut, bytesOut } = (await link.statistics()).forward
    const carried = bytesOut - framesOut * headerBytes
    // Other protocols' frames are in it too.
    assert.ok(carried > 49.9e6 && carried < 52e6, `${carried} bytes in ${framesOut} frames`)
    assert.ok(framesOut > 50e6 / 1448, `${framesOut} frames`)
  })

  it('captures single frames, as many as it counts', async () => {
    await using link = await TestDeviceLink.open()
    const path = join(folder, 'tcp.pcap')
    await link.unplug()
    const former = await link.statistics()

    await link.plane.startCapture('link', 'a', { path })
    await link.plugIn()
    const { sent, received } = await link.transfer(50)
    await link.ping()
    await link.unplug()
    await link.plane.stopCapture('link', 'a')

    const { forward, reverse } = await link.statistics()
    const frames = await readPcap(path)
    const framesOut = forward.framesOut + reverse.framesOut - former.forward.framesOut - former.reverse.framesOut
    const bytesOut = forward.bytesOut + reverse.bytesOut - former.forward.bytesOut - former.reverse.bytesOut
    assert.equal(received, sent)
    assert.equal(frames.length, framesOut)
    assert.equal(sumOf(frames.map(({ frame }) => frame.length)), bytesOut)
    assert.ok(frames.every(({ frame }) => frame.length <= 1514))
  })

  it('carries jumbo frames', async () => {
    await using link = await TestDeviceLink.open({}, 9000)

    await link.ping('-M', 'do', '-s', '8972')
    const whole = await link.transfer(20)
    await link.setFilters({ delay: [1] })
    await link.ping('-M', 'do', '-s', '8972')
    const cut = await link.transfer(20)

    assert.equal(whole.received, whole.sent)
    assert.equal(cut.received, cut.sent)
    assert.equal((await link.statistics()).forward.dropped['oversize'], 0)
  })

  it('drops and counts frames that are longer than it carries', async () => {
    await using link = await TestDeviceLink.open({}, 20_000)

    await assert.rejects(link.ping('-w', '1', '-M', 'do', '-s', '15000'))
    await link.ping()

    assert.ok(((await link.statistics()).forward.dropped['oversize'] ?? 0) > 0)
  })

  it('joins its devices again after a crash', async () => {
    await using link = await TestDeviceLink.open()

    const pid = link.plane.pid ?? 0
    process.kill(pid, 'SIGKILL')
    await until(() => link.plane.pid !== pid)
    await link.statistics()

    await link.ping()
  })

  it('carries segmented UDP, whole and cut', async () => {
    await using link = await TestDeviceLink.open()
    await using sender = await SegmentedSender.open(link.plane, link.spaces, secondAddress)

    await sender.sendAndCheck()
    await link.setFilters({ delay: [1] })
    await sender.sendAndCheck()

    assert.equal((await link.statistics()).forward.dropped['malformed'], 0)
  })

  it('counts what a device that is down does not take, and goes on when it is up', async () => {
    await using link = await TestDeviceLink.open()
    await link.ping()

    link.spaces[1].ip('link set eth0 down')
    await assert.rejects(link.ping('-w', '1'))
    assert.ok(((await link.statistics()).forward.dropped['send_failed'] ?? 0) > 0)
    link.spaces[1].ip('link set eth0 up')
    await link.ping()
  })

  for (const [what, filters] of [
    ['whole', {}],
    ['cut', { delay: [1] }],
  ] as const) {
    it(`survives frames that a namespace makes up, ${what}`, async () => {
      await using link = await TestDeviceLink.open(filters)
      const { pid } = link.plane

      const program = join(import.meta.dirname, 'test-made-up-frames.ts')
      const taken = Number(await link.spaces[0].run(process.execPath, program))
      await link.ping()

      assert.ok(taken > 1000, `${taken} frames were taken`)
      assert.ok((await link.statistics()).forward.framesIn > 1000)
      assert.equal(link.plane.pid, pid)
    })
  }

  it('makes a device that lives as long as the port', async () => {
    await using link = await TestDeviceLink.open()
    const [space] = link.spaces
    await link.plane.openLink('other', { filters: {}, suspended: false })

    await link.plane.attachPort('other', 0, { kind: 'tap', namespace: space.path, name: 'made' })
    space.ip('link set made up')
    await link.plane.detachPort('other', 0)

    assert.throws(() => space.ip('link show made'), /does not exist/)
  })
})
