import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { broadcast, frameOf, switchOf, switchPort, type Tag, TestBridge } from '../../test-bridge.ts'

const from = 0x020000000001
const frame = (...tags: Tag[]) => frameOf({ to: broadcast, from, tags, text: 'payload' })
const customer = (vlan: number, priority = 0): Tag => ({ type: 0x8100, vlan, priority })
const service = (vlan: number, priority = 0): Tag => ({ type: 0x88a8, vlan, priority })

/** Access ports of VLAN 1 (port 1) and 20 (port 2), trunks with native VLAN 1 (port 3) and 20 (port 4). */
const openTrunks = () =>
  new TestBridge(
    switchOf(
      switchPort(1),
      switchPort(2, 'access', { vlan: 20 }),
      switchPort(3, 'dot1q'),
      switchPort(4, 'dot1q', { vlan: 20 }),
    ),
  )

describe('VLAN rules', () => {
  it('keep frames of access ports in their VLAN, and tag them on trunks where it is not the native one', () => {
    const bridge = openTrunks()

    assert.deepEqual(bridge.put(1, frame()), { 3: [frame()], 4: [frame(customer(1))] })
    assert.deepEqual(bridge.put(2, frame()), { 3: [frame(customer(20))], 4: [frame()] })
  })

  it('take untagged and priority-tagged frames of a trunk into its native VLAN', () => {
    const bridge = openTrunks()

    assert.deepEqual(bridge.put(3, frame()), { 1: [frame()], 4: [frame(customer(1))] })
    assert.deepEqual(bridge.put(3, frame(customer(0, 5))), { 1: [frame()], 4: [frame(customer(1, 5))] })
    assert.deepEqual(bridge.put(4, frame(customer(0, 7))), { 2: [frame()], 3: [frame(customer(20, 7))] })
  })

  it('take tagged frames of a trunk into the VLAN of the tag, and keep their priority', () => {
    const bridge = openTrunks()

    assert.deepEqual(bridge.put(3, frame(customer(20, 6))), { 2: [frame()], 4: [frame()] })
    assert.deepEqual(bridge.put(3, frame(customer(300, 6))), { 4: [frame(customer(300, 6))] })
    assert.deepEqual(bridge.put(4, frame(customer(1, 3))), { 1: [frame()], 3: [frame()] })
  })

  it('keep the drop eligibility of a tag', () => {
    const bridge = openTrunks()
    const tagged = frame(customer(300, 6))
    tagged[14] = (tagged[14] ?? 0) | 0x10

    assert.deepEqual(bridge.put(3, tagged), { 4: [tagged] })
  })

  it('learn a station in each VLAN by itself', () => {
    const bridge = openTrunks()
    bridge.put(1, frame())
    bridge.put(3, frame(customer(20)))

    assert.deepEqual(bridge.portsOf(2, frameOf({ to: from, from: 0x020000000002 })), [3])
    assert.deepEqual(bridge.portsOf(3, frameOf({ to: from, from: 0x020000000003 })), [1])
  })

  it('take tags at an access port as payload', () => {
    const bridge = openTrunks()

    assert.deepEqual(bridge.put(2, frame(customer(5))), {
      3: [frame(customer(20), customer(5))],
      4: [frame(customer(5))],
    })
  })

  it('drop frames of the reserved VLAN', () => {
    const bridge = openTrunks()

    assert.deepEqual(bridge.portsOf(3, frame(customer(4095))), [])
    assert.equal(bridge.bridge.statistics(0).dropped, 1)
  })

  for (const ethertype of [0x8100, 0x88a8, 0x9100, 0x9200]) {
    it(`carry customers' tags inside of outer ones of type ${ethertype.toString(16)}`, () => {
      const bridge = new TestBridge(
        switchOf(
          switchPort(1, 'access', { vlan: 100 }),
          switchPort(2, 'access', { vlan: 200 }),
          switchPort(3, 'qinq', { vlan: 1, ethertype }),
        ),
      )
      const outer = (vlan: number, priority = 0): Tag => ({ type: ethertype, vlan, priority })

      assert.deepEqual(bridge.put(1, frame(customer(7, 3))), { 3: [frame(outer(100), customer(7, 3))] })
      assert.deepEqual(bridge.put(2, frame()), { 3: [frame(outer(200))] })
      assert.deepEqual(bridge.put(3, frame(outer(200, 2), customer(7, 3))), { 2: [frame(customer(7, 3))] })
    })
  }

  it('take frames without the outer tag of a qinq port into its own VLAN, tags of customers included', () => {
    const bridge = new TestBridge(
      switchOf(switchPort(1, 'access', { vlan: 100 }), switchPort(2, 'qinq', { vlan: 100, ethertype: 0x88a8 })),
    )

    for (const each of [frame(), frame(customer(7)), frame({ type: 0x9100, vlan: 3 })]) {
      assert.deepEqual(bridge.put(2, each), { 1: [each] })
      assert.deepEqual(bridge.put(1, each), { 2: [each] })
    }
  })

  it('exchange the tag between a trunk and a qinq port', () => {
    const bridge = new TestBridge(switchOf(switchPort(1, 'dot1q'), switchPort(2, 'qinq', { ethertype: 0x88a8 })))

    assert.deepEqual(bridge.put(1, frame(customer(30, 4))), { 2: [frame(service(30, 4))] })
    assert.deepEqual(bridge.put(2, frame(service(30, 4))), { 1: [frame(customer(30, 4))] })
  })

  it('drop a frame that would become too long by its tag, and only where it would', () => {
    const bridge = openTrunks()
    const longest = frameOf({ to: broadcast, from, text: 'x'.repeat(9216 - 14) })
    const station = 0x020000000009

    assert.deepEqual(bridge.put(1, longest), { 3: [longest] })
    bridge.put(4, frameOf({ to: broadcast, from: station, tags: [customer(1)] }))
    assert.deepEqual(bridge.put(1, frameOf({ to: station, from, text: 'x'.repeat(9216 - 14) })), {})
    assert.equal(bridge.bridge.statistics(0).dropped, 1)
  })
})
