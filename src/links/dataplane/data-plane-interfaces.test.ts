import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { firstAddress, secondAddress, TestDeviceLink } from './test-device-link.ts'
import { TestLink } from './test-link.ts'
import { TestNamespace } from './test-namespace.ts'
import { until } from './test-peer.ts'
import { transfer } from './test-transfer.ts'

const skip = process.getuid?.() === 0 ? false : 'network namespaces need root'

/** Puts a veth pair with an interface port in place of the second TAP device. */
async function joinByInterface({ plane, spaces }: TestDeviceLink, host: TestNamespace): Promise<void> {
  const [, second] = spaces
  await plane.detachPort('link', 1)
  second.ip('link delete eth0')
  host.ip(`link add uplink type veth peer name eth0 netns ${second.name}`)
  host.ip('link set uplink up')
  second.ip('link set eth0 up')
  second.ip(`addr add ${secondAddress}/24 dev eth0`)
  await plane.attachPort('link', 1, { kind: 'interface', namespace: host.path, name: 'uplink' })
}

describe('DataPlane at network interfaces', { skip }, () => {
  for (const [what, filters] of [
    ['whole', {}],
    ['cut', { delay: [1] }],
  ] as const) {
    it(`carries TCP both ways, ${what}`, async () => {
      await using link = await TestDeviceLink.open(filters)
      using host = new TestNamespace()
      const [first, second] = link.spaces
      await joinByInterface(link, host)

      const there = await transfer({ from: first, to: second, address: secondAddress, megabytes: 50 })
      const back = await transfer({ from: second, to: first, address: firstAddress, megabytes: 50 })

      assert.equal(there.received, there.sent)
      assert.equal(back.received, back.sent)
      const { forward, reverse } = await link.statistics()
      for (const { framesOut, dropped } of [forward, reverse]) {
        assert.equal(dropped['malformed'], 0)
        assert.ok(framesOut > 50e6 / 1448)
      }
    })
  }

  it('takes frames of any protocol and receiver as they are, with their VLAN tags', async () => {
    await using link = await TestLink.open()
    using host = new TestNamespace()
    host.ip('link add here type veth peer name there')
    for (const name of ['here', 'there']) host.ip(`link set ${name} mtu 9000 up`)
    await link.plane.detachPort('link', 1)
    await link.plane.openLink('other', { filters: {}, suspended: false })
    await link.plane.attachPort('link', 1, { kind: 'interface', namespace: host.path, name: 'here' })
    await link.plane.attachPort('other', 0, { kind: 'interface', namespace: host.path, name: 'there' })
    const [, second] = link.peers
    const local = { host: '127.0.0.1', port: link.ports[1] }
    await link.plane.attachPort('other', 1, { kind: 'udp', local, peer: { host: '127.0.0.1', port: second.port } })

    const frames = ['8100600a0800', '88a8000a810000140800', '8100e00a', '91000001', '0800', '88b5', '0026'].map(
      (type) =>
        Buffer.concat([Buffer.from('02000000000202000000ccaa', 'hex'), Buffer.from(type, 'hex'), randomBytes(1000)]),
    )
    frames.push(Buffer.concat([Buffer.from('02000000000202000000ccaa8100600a0800', 'hex'), randomBytes(9000 - 4)]))
    const isOurs = (frame: Buffer) => frame.subarray(6, 12).toString('hex') === '02000000ccaa'
    await link.send(...frames)
    await until(() => second.frames.filter(isOurs).length === frames.length)

    assert.deepEqual(second.frames.filter(isOurs), frames)
  })

  it('goes on when the interface was down for a while', async () => {
    await using link = await TestDeviceLink.open()
    using host = new TestNamespace()
    await joinByInterface(link, host)

    for (let turn = 0; turn < 2; turn += 1) {
      host.ip('link set uplink up')
      await link.ping()
      host.ip('link set uplink down')
      await assert.rejects(link.ping('-w', '1'))
    }
  })
})
