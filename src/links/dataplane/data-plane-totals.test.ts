import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { DataPlane } from './data-plane.ts'
import { TestLink, udpPort } from './test-link.ts'
import { until } from './test-peer.ts'

const frames = (count: number) => Array.from({ length: count }, () => Buffer.alloc(100))

describe('DataPlane totals', () => {
  it('are zero before the first link, and start no process', async () => {
    await using plane = new DataPlane({ logger: pino({ level: 'silent' }) })

    const totals = await plane.totals()

    assert.deepEqual([totals.framesIn, totals.bytesOut, totals.links, totals.bridges], [0, 0, 0, 0])
    assert.equal(totals.dropped['queue_full'], 0)
    assert.equal(plane.pid, undefined)
  })

  it('sum all links, both ways, and keep what closed ones carried', async () => {
    await using link = await TestLink.open()
    const { plane } = link
    await plane.openBridge('hub', { kind: 'hub', ports: [] }, 'group')
    await plane.openLink('other', { filters: { packet_loss: [100] }, suspended: false })
    const { local } = await plane.attachPort('other', 0, udpPort(link.peers[0].port))

    await link.send(...frames(3))
    await link.peers[1].received(3)
    await link.peers[1].send(Buffer.alloc(60), link.ports[1])
    await link.peers[0].received(1)
    await link.peers[0].send(Buffer.alloc(60), local?.port ?? 0)
    await until(async () => (await plane.totals()).framesIn === 5)

    await plane.closeLink('other')
    const { framesIn, bytesIn, framesOut, bytesOut, dropped, links, bridges } = await plane.totals()
    assert.deepEqual([framesIn, bytesIn, framesOut, bytesOut], [5, 420, 4, 360])
    assert.deepEqual([dropped['packet_loss'], links, bridges], [1, 1, 1])
  })

  it('count what waits only while it waits', async () => {
    await using link = await TestLink.open({ delay: [30_000] })

    await link.send(...frames(4))
    await until(async () => (await link.plane.totals()).queuedFrames === 4)
    assert.equal((await link.plane.totals()).queuedBytes, 400)

    await link.plane.closeLink('link')
    const { queuedFrames, queuedBytes, framesIn } = await link.plane.totals()
    assert.deepEqual([queuedFrames, queuedBytes, framesIn], [0, 0, 4])
  })

  it('stay when the process crashes, and when it ends because it is not needed', async () => {
    await using link = await TestLink.open({}, { idleMs: 1 })
    const { plane } = link
    await link.send(...frames(3))
    await until(async () => (await plane.totals()).framesOut === 3)
    const { pid } = plane

    process.kill(pid ?? 0, 'SIGKILL')
    assert.equal((await plane.totals()).framesOut, 3)
    await until(() => plane.pid !== pid)
    await plane.statistics('link')
    await link.send(...frames(2))
    await link.peers[1].received(5)
    await plane.closeLink('link')
    await until(() => plane.pid === undefined)

    await until(async () => (await plane.totals()).framesOut === 5)
    assert.equal(plane.pid, undefined)
  })
})
