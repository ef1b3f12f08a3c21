import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { broadcast, frameOf, switchOf, switchPort, TestBridge } from '../../test-bridge.ts'

const [ann, bob, cid] = [0x020000000001, 0x020000000002, 0x020000000003]

describe('Switch', () => {
  const open = () => new TestBridge(switchOf(switchPort(0), switchPort(1), switchPort(2)))

  it('floods frames for stations it does not know, and sends others to their port alone', () => {
    const bridge = open()

    assert.deepEqual(bridge.portsOf(0, frameOf({ to: bob, from: ann })), [1, 2])
    assert.deepEqual(bridge.portsOf(1, frameOf({ to: ann, from: bob })), [0])
    assert.deepEqual(bridge.portsOf(0, frameOf({ to: bob, from: ann })), [1])
    assert.deepEqual(bridge.bridge.statistics(bridge.nowMs), {
      learntAddresses: 2,
      flooded: 1,
      forwarded: 2,
      dropped: 0,
    })
  })

  it('passes frames on unchanged', () => {
    const bridge = open()
    const frame = frameOf({ to: bob, from: ann, text: 'some payload' })

    assert.deepEqual(bridge.put(0, frame), { 1: [frame], 2: [frame] })
  })

  it('floods frames for groups, those of the slow protocols included', () => {
    const bridge = open()

    for (const group of [broadcast, 0x01005e000001, 0x0180c2000000, 0x0180c200000e]) {
      assert.deepEqual(bridge.portsOf(1, frameOf({ to: group, from: ann })), [0, 2])
    }
  })

  it('drops frames from a group, and learns nothing from them', () => {
    const bridge = open()

    assert.deepEqual(bridge.portsOf(0, frameOf({ to: bob, from: 0x010000000001 })), [])
    assert.deepEqual(bridge.bridge.statistics(0), { learntAddresses: 0, flooded: 0, forwarded: 0, dropped: 1 })
  })

  it('keeps a frame for a station at the port where it came from', () => {
    const bridge = open()

    bridge.put(0, frameOf({ to: broadcast, from: ann }))
    assert.deepEqual(bridge.portsOf(0, frameOf({ to: ann, from: bob })), [])
  })

  it('follows a station that moves at once', () => {
    const bridge = open()

    bridge.put(0, frameOf({ to: broadcast, from: ann }))
    bridge.put(2, frameOf({ to: broadcast, from: ann }))
    assert.deepEqual(bridge.portsOf(1, frameOf({ to: ann, from: bob })), [2])
  })

  it('forgets a station that is silent for the ageing time, counted from its last frame', () => {
    const bridge = new TestBridge({ ...switchOf(switchPort(0), switchPort(1), switchPort(2)), ageingMs: 100 })
    const call = frameOf({ to: ann, from: bob })

    bridge.put(0, frameOf({ to: broadcast, from: ann }))
    bridge.nowMs += 90
    bridge.put(0, frameOf({ to: broadcast, from: ann }))
    bridge.nowMs += 90
    assert.deepEqual(bridge.portsOf(1, call), [0])
    bridge.nowMs += 20
    assert.deepEqual(bridge.portsOf(1, call), [0, 2])
    assert.deepEqual(
      bridge.bridge.macTable(bridge.nowMs).map(({ address }) => address),
      ['02:00:00:00:00:02'],
    )
  })

  it('tells what it has learnt', () => {
    const bridge = new TestBridge(switchOf(switchPort(0, 'access', { vlan: 10 }), switchPort(7, 'dot1q')))

    bridge.put(0, frameOf({ to: broadcast, from: 0xfedcba987654 }))
    bridge.nowMs += 5
    bridge.put(7, frameOf({ to: broadcast, from: bob, tags: [{ type: 0x8100, vlan: 4094 }] }))
    assert.deepEqual(
      bridge.bridge.macTable(bridge.nowMs).sort((a, b) => a.vlan - b.vlan),
      [
        { vlan: 10, address: 'fe:dc:ba:98:76:54', port: 0, ageMs: 5 },
        { vlan: 4094, address: '02:00:00:00:00:02', port: 7, ageMs: 0 },
      ],
    )
  })

  it('forgets the stations of a port whose link goes, and those of that port alone', () => {
    const bridge = new TestBridge(switchOf(switchPort(0), switchPort(1)))
    bridge.bridge.configure(switchOf(switchPort(0), switchPort(1), switchPort(2)))
    const plug = bridge.attach(2)

    bridge.put(0, frameOf({ to: broadcast, from: ann }))
    bridge.put(2, frameOf({ to: broadcast, from: cid }))
    bridge.bridge.leave(plug)

    assert.deepEqual(
      bridge.bridge.macTable(bridge.nowMs).map(({ port }) => port),
      [0],
    )
    assert.deepEqual(bridge.portsOf(0, frameOf({ to: cid, from: ann })), [1])
  })

  it('forgets the stations of ports that are configured anew, and disturbs no others', () => {
    const bridge = open()
    bridge.put(0, frameOf({ to: broadcast, from: ann }))
    bridge.put(1, frameOf({ to: broadcast, from: bob }))

    bridge.bridge.configure(switchOf(switchPort(0), switchPort(1, 'access', { vlan: 5 }), switchPort(3)))

    assert.deepEqual(
      bridge.bridge.macTable(bridge.nowMs).map(({ port }) => port),
      [0],
    )
    assert.deepEqual(bridge.portsOf(1, frameOf({ to: ann, from: bob })), [])
    assert.deepEqual(bridge.portsOf(2, frameOf({ to: ann, from: cid })), [], 'a port that is no more')
    bridge.attach(3)
    assert.deepEqual(bridge.portsOf(3, frameOf({ to: ann, from: cid })), [0])
  })

  it('refuses what is attached to a port that is taken, or is none', () => {
    const bridge = open()

    assert.throws(() => bridge.attach(0), { code: 'conflict' })
    assert.throws(() => bridge.attach(9), { code: 'not_found' })
  })

  it('drops what is shorter than the headers', () => {
    const bridge = new TestBridge(switchOf(switchPort(0), switchPort(1, 'dot1q')))
    const tagged = frameOf({ to: broadcast, from: ann, tags: [{ type: 0x8100, vlan: 3 }] })

    assert.deepEqual(bridge.portsOf(0, frameOf({ to: broadcast, from: ann }).subarray(0, 13)), [])
    assert.deepEqual(bridge.portsOf(1, tagged.subarray(0, 17)), [])
    assert.deepEqual(bridge.portsOf(0, frameOf({ to: broadcast, from: ann })), [1])
    assert.equal(bridge.bridge.statistics(0).dropped, 2)
  })

  it('remembers thousands of stations, floods for those that do not fit, and takes new ones when old ones are gone', () => {
    const bridge = new TestBridge({ ...switchOf(switchPort(0), switchPort(1), switchPort(2)), ageingMs: 5000 })
    const station = (index: number) => 0x020000000000 + index * 0x101

    for (let index = 0; index < 9000; index += 1)
      bridge.put(index & 1, frameOf({ to: broadcast, from: station(index) }))
    assert.equal(bridge.bridge.statistics(bridge.nowMs).learntAddresses, 8192)
    for (const index of [0, 1, 4095, 8190, 8191]) {
      assert.deepEqual(bridge.portsOf(2, frameOf({ to: station(index), from: cid })), [index & 1])
    }
    assert.deepEqual(bridge.portsOf(2, frameOf({ to: station(8192), from: cid })), [0, 1])

    bridge.nowMs += 5001
    bridge.put(0, frameOf({ to: broadcast, from: station(8192) }))
    assert.deepEqual(bridge.portsOf(2, frameOf({ to: station(8192), from: cid })), [0])
  })
})

describe('Hub', () => {
  it('passes every frame on to all other ports, whatever it is', () => {
    const bridge = new TestBridge({ kind: 'hub', ports: [0, 1, 2] })

    for (const frame of [frameOf({ to: ann, from: bob }), Buffer.from('x'), frameOf({ to: bob, from: broadcast })]) {
      assert.deepEqual(bridge.put(1, frame), { 0: [frame], 2: [frame] })
    }
    assert.deepEqual(bridge.portsOf(0, frameOf({ to: bob, from: ann })), [1, 2])
    assert.deepEqual(bridge.bridge.statistics(0), { learntAddresses: 0, flooded: 4, forwarded: 0, dropped: 0 })
  })

  it('passes nothing to or from a port that was taken away, and can become a switch', () => {
    const bridge = new TestBridge({ kind: 'hub', ports: [0, 1, 2] })

    bridge.bridge.configure({ kind: 'hub', ports: [0, 1] })
    assert.deepEqual(bridge.portsOf(0, frameOf({ to: bob, from: ann })), [1])
    assert.deepEqual(bridge.portsOf(2, frameOf({ to: bob, from: ann })), [])

    bridge.bridge.configure(switchOf(switchPort(0), switchPort(1), switchPort(2)))
    bridge.put(0, frameOf({ to: broadcast, from: ann }))
    assert.deepEqual(bridge.portsOf(2, frameOf({ to: ann, from: bob })), [0])
  })
})
