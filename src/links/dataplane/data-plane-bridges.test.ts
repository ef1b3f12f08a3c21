import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { DataPlane } from './data-plane.ts'
import { broadcast, frameOf, switchOf, switchPort } from './test-bridge.ts'
import { udpPort } from './test-link.ts'
import { until } from './test-peer.ts'
import { joinBridges, open, TestStation } from './test-station.ts'

const [ann, bob, cid] = [0x020000000001, 0x020000000002, 0x020000000003]
const openPlane = (options = {}) => new DataPlane({ logger: pino({ level: 'silent' }), ...options })
const call = frameOf({ to: broadcast, from: ann, text: 'who is there?' })

describe('DataPlane bridges', () => {
  it('switch frames between three stations', async () => {
    await using plane = openPlane()
    await plane.openBridge('switch', switchOf(switchPort(0), switchPort(1), switchPort(2)), 'group')
    await using first = await TestStation.open(plane, { bridgeId: 'switch', port: 0 })
    await using second = await TestStation.open(plane, { bridgeId: 'switch', port: 1 })
    await using third = await TestStation.open(plane, { bridgeId: 'switch', port: 2 })
    const answer = frameOf({ to: ann, from: bob, text: 'bob is' })

    await first.send(call)
    await Promise.all([second.peer.received(1), third.peer.received(1)])
    await second.send(answer)
    await first.peer.received(1)
    await third.send(frameOf({ to: ann, from: cid, text: 'cid too' }))
    await first.peer.received(2)

    assert.deepEqual(first.peer.frames, [answer, frameOf({ to: ann, from: cid, text: 'cid too' })])
    assert.deepEqual(third.peer.frames, [call])
    const { ageMs, ...learnt } = (await plane.macTable('switch')).find(({ port }) => port === 1) ?? { ageMs: NaN }
    assert.deepEqual(learnt, { vlan: 1, address: '02:00:00:00:00:02', port: 1 })
    assert.ok(ageMs >= 0 && ageMs < 10_000)
    assert.deepEqual(await plane.bridgeStatistics('switch'), {
      learntAddresses: 3,
      flooded: 1,
      forwarded: 2,
      dropped: 0,
    })
  })

  it('repeat frames as a hub', async () => {
    await using plane = openPlane()
    await plane.openBridge('hub', { kind: 'hub', ports: [4, 5, 6] }, 'group')
    await using first = await TestStation.open(plane, { bridgeId: 'hub', port: 4 })
    await using second = await TestStation.open(plane, { bridgeId: 'hub', port: 5 })
    await using third = await TestStation.open(plane, { bridgeId: 'hub', port: 6 })
    const frames = Array.from({ length: 500 }, (_, number) => frameOf({ to: bob, from: ann, text: `number ${number}` }))

    await first.send(...frames)
    await Promise.all([second.peer.received(500), third.peer.received(500)])

    assert.deepEqual(second.peer.frames, frames)
    assert.deepEqual(third.peer.frames, frames)
    assert.equal(first.peer.frames.length, 0)
  })

  it('carry two VLANs over a trunk between two switches, by the filters and statistics of its link', async () => {
    await using plane = openPlane()
    const ports = [switchPort(0, 'access', { vlan: 10 }), switchPort(1, 'access', { vlan: 20 }), switchPort(9, 'dot1q')]
    for (const bridgeId of ['west', 'east']) await plane.openBridge(bridgeId, switchOf(...ports), 'group')
    const trunk = await joinBridges(plane, ['west', 'east'], 9)
    await using west10 = await TestStation.open(plane, { bridgeId: 'west', port: 0 })
    await using west20 = await TestStation.open(plane, { bridgeId: 'west', port: 1 })
    await using east10 = await TestStation.open(plane, { bridgeId: 'east', port: 0 })
    await using east20 = await TestStation.open(plane, { bridgeId: 'east', port: 1 })

    await west10.send(call)
    await east10.peer.received(1)
    await east20.send(frameOf({ to: ann, from: bob }))
    await west20.peer.received(1)

    assert.deepEqual(east10.peer.frames, [call])
    assert.deepEqual([west10.peer.frames.length, east20.peer.frames.length], [0, 0])
    const { forward, reverse } = await plane.statistics(trunk)
    assert.deepEqual([forward.framesOut, forward.bytesOut, reverse.framesOut], [1, call.length + 4, 1])

    await plane.setFilters(trunk, { packet_loss: [100] })
    await west10.send(call)
    await until(async () => (await plane.statistics(trunk)).forward.dropped['packet_loss'] === 1)
  })

  it('carry tagged frames of customers across a provider', async () => {
    await using plane = openPlane()
    const ports = [switchPort(0, 'access', { vlan: 100 }), switchPort(1, 'access', { vlan: 200 })]
    const provider = switchOf(...ports, switchPort(9, 'qinq', { ethertype: 0x88a8 }))
    for (const bridgeId of ['west', 'east']) await plane.openBridge(bridgeId, provider, 'group')
    await joinBridges(plane, ['west', 'east'], 9)
    await using west = await TestStation.open(plane, { bridgeId: 'west', port: 0 })
    await using east = await TestStation.open(plane, { bridgeId: 'east', port: 0 })
    await using other = await TestStation.open(plane, { bridgeId: 'east', port: 1 })
    const tagged = frameOf({ to: broadcast, from: ann, tags: [{ type: 0x8100, vlan: 7, priority: 3 }] })

    await west.send(tagged)
    await east.peer.received(1)

    assert.deepEqual(east.peer.frames, [tagged])
    assert.equal(other.peer.frames.length, 0)
  })

  it('take a new configuration, and close with their ports', async () => {
    await using plane = openPlane()
    await plane.openBridge('switch', switchOf(switchPort(0), switchPort(1)), 'group')
    await using first = await TestStation.open(plane, { bridgeId: 'switch', port: 0 })
    await using second = await TestStation.open(plane, { bridgeId: 'switch', port: 1 })

    await plane.openBridge('switch', switchOf(switchPort(0), switchPort(1, 'dot1q', { vlan: 2 })), 'group')
    await first.send(call)
    await second.peer.received(1)
    assert.deepEqual(second.peer.frames, [
      frameOf({ to: broadcast, from: ann, tags: [{ type: 0x8100, vlan: 1 }], text: 'who is there?' }),
    ])

    await plane.closeBridge('switch')
    await plane.closeBridge('switch')
    await first.send(call)
    await until(async () => (await plane.statistics(first.linkId)).forward.dropped['no_port'] === 1)
    await assert.rejects(plane.macTable('switch'), { code: 'not_found' })
    await assert.rejects(plane.bridgeStatistics('switch'), { code: 'not_found' })
  })

  it('come back after a crash, before the links that are attached to them', async () => {
    await using plane = openPlane()
    await plane.openBridge('switch', switchOf(switchPort(0), switchPort(1, 'dot1q')), 'group')
    await using first = await TestStation.open(plane, { bridgeId: 'switch', port: 0 })
    await using second = await TestStation.open(plane, { bridgeId: 'switch', port: 1 })
    const { pid } = plane

    process.kill(pid ?? 0, 'SIGKILL')
    await until(() => plane.pid !== pid)
    await plane.statistics(first.linkId)
    await first.send(call)
    await second.peer.received(1)

    assert.deepEqual(second.peer.frames, [call])
  })

  it('keep the process, and are enough to bring it back', async () => {
    await using plane = openPlane({ idleMs: 1 })
    await plane.openBridge('hub', { kind: 'hub', ports: [1] }, 'group')
    const { pid } = plane

    process.kill(pid ?? 0, 'SIGKILL')
    await until(() => plane.pid !== pid && plane.pid !== undefined)
    assert.equal((await plane.bridgeStatistics('hub')).flooded, 0)

    await plane.closeBridge('hub')
    await until(() => plane.pid === undefined)
  })

  it('of several groups are spread over the threads, each with its links', async () => {
    await using plane = openPlane({ threads: 2 })
    const groups = ['a', 'b', 'c', 'd', 'e']
    for (const group of groups) {
      await plane.openBridge(`${group} hub`, { kind: 'hub', ports: [0, 1, 2] }, group)
      await plane.openBridge(`${group} switch`, switchOf(switchPort(0), switchPort(9)), group)
    }

    for (const group of groups) {
      await using first = await TestStation.open(plane, { bridgeId: `${group} hub`, port: 0, group })
      await using second = await TestStation.open(plane, { bridgeId: `${group} switch`, port: 0, group })
      const between = `between ${group}`
      await plane.openLink(between, { ...open, group })
      await plane.attachPort(between, 0, { kind: 'bridge', bridgeId: `${group} hub`, port: 1 })
      await plane.attachPort(between, 1, { kind: 'bridge', bridgeId: `${group} switch`, port: 9 })
      await first.send(call)
      await second.peer.received(1)
      for (const linkId of [first.linkId, second.linkId, between]) await plane.closeLink(linkId)
      await plane.closeBridge(`${group} hub`)
      await plane.closeBridge(`${group} switch`)
    }
  })

  it('refuse links of other groups, unknown ports, and ports that are taken', async () => {
    await using plane = openPlane()
    await plane.openBridge('hub', { kind: 'hub', ports: [0, 1] }, 'group')
    await using _station = await TestStation.open(plane, { bridgeId: 'hub', port: 0 })
    await plane.openLink('alone', open)
    await plane.openLink('other', { ...open, group: 'other' })
    await plane.openLink('link', { ...open, group: 'group' })
    const port = (number: number, bridgeId = 'hub') => ({ kind: 'bridge', bridgeId, port: number }) as const

    await assert.rejects(plane.attachPort('alone', 0, port(1)), { code: 'conflict' })
    await assert.rejects(plane.attachPort('other', 0, port(1)), { code: 'conflict' })
    await assert.rejects(plane.attachPort('link', 0, port(0)), { code: 'conflict' })
    await assert.rejects(plane.attachPort('link', 0, port(7)), { code: 'not_found' })
    await assert.rejects(plane.attachPort('link', 0, port(1, 'nothing')), { code: 'not_found' })
    await plane.attachPort('link', 0, port(1))
    assert.deepEqual(await plane.attachPort('link', 0, port(1)), {})
    await assert.rejects(plane.attachPort('link', 0, udpPort(9)), { code: 'conflict' })

    await assert.rejects(plane.openLink('alone', { ...open, group: 'group' }), { code: 'conflict' })
    await plane.openLink('link', open)
    await assert.rejects(plane.openBridge('hub', { kind: 'hub', ports: [0] }, 'other'), { code: 'conflict' })
    await assert.rejects(plane.openBridge('bad', { kind: 'hub', ports: [0, 0] }, 'group'), { code: 'invalid' })
  })
})
