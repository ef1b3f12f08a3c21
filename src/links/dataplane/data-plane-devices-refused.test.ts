import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parseFilters } from '../filters/index.ts'
import { firstAddress, TestDeviceLink } from './test-device-link.ts'
import { TestNamespace } from './test-namespace.ts'

const skip = process.getuid?.() === 0 ? false : 'network namespaces need root'

/** The CPU time of a process in ms (proc_pid_stat(5), utime and stime; 100 ticks a second). */
function cpuMs(pid = 0): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

describe('DataPlane refuses', { skip }, () => {
  it('an interface that is not there, or is not Ethernet', async () => {
    await using link = await TestDeviceLink.open()
    const namespace = link.spaces[0].path
    await link.plane.detachPort('link', 0)

    await assert.rejects(link.plane.attachPort('link', 0, { kind: 'interface', namespace, name: 'none' }), {
      code: 'conflict',
      message: 'Cannot use interface "none": there is no such interface',
    })
    link.spaces[0].ip('tuntap add dev tun0 mode tun')
    await assert.rejects(link.plane.attachPort('link', 0, { kind: 'interface', namespace, name: 'tun0' }), {
      code: 'conflict',
      message: 'Cannot use interface "tun0": it carries no Ethernet frames',
    })
  })

  it('a TAP device that is in use, or is something else', async () => {
    await using link = await TestDeviceLink.open()
    const namespace = link.spaces[0].path
    await link.plane.openLink('other', { filters: {}, suspended: false })

    await assert.rejects(link.plane.attachPort('other', 0, { kind: 'tap', namespace, name: 'eth0' }), {
      code: 'conflict',
      message: 'Cannot open TAP device "eth0": it is in use',
    })
    await assert.rejects(link.plane.attachPort('other', 0, { kind: 'tap', namespace, name: 'lo' }), {
      code: 'conflict',
      message: /^Cannot open TAP device "lo": an interface of that name is no TAP device/,
    })
  })

  it('devices to those who may not have them', () => {
    const program = `
      import { loadLibc } from '${join(import.meta.dirname, '../../platform/native/libc.ts')}'
      import { openPort } from '${join(import.meta.dirname, 'process/open-port.ts')}'
      for (const port of [{ kind: 'tap', name: 'backhaul-no' }, { kind: 'interface', name: 'lo' }]) {
        try { openPort(loadLibc(), port) } catch (error) { console.log(error.code, error.message) }
      }
    `
    const options = ['--bounding-set=-net_admin,-net_raw', process.execPath, '--input-type=module-typescript']
    const printed = execFileSync('setpriv', [...options, '--eval', program], { encoding: 'utf8' })

    assert.equal(
      printed,
      'conflict Cannot open TAP device "backhaul-no": it needs root\n' +
        'conflict Cannot use interface "lo": it needs root\n',
    )
  })
})

describe('DataPlane, when a device is deleted,', { skip }, () => {
  for (const [what, filters] of [
    ['a link that passes frames whole', {}],
    ['a link with filters', { delay: [1] }],
  ] as const) {
    it(`waits for it no more on ${what}, and takes another in its place`, async () => {
      await using link = await TestDeviceLink.open(filters)
      await using other = await TestDeviceLink.open(filters)
      using host = new TestNamespace()
      host.ip('link add gone type veth peer name there')
      for (const name of ['gone', 'there']) host.ip(`link set ${name} up`)
      const { plane, spaces } = other
      const lost = { kind: 'interface', namespace: host.path, name: 'gone' } as const
      await plane.openLink('lost', { filters: parseFilters(filters), suspended: false })
      await plane.attachPort('lost', 0, lost)
      await other.ping()

      spaces[0].ip('link delete eth0')
      host.ip('link delete gone')
      const before = cpuMs(plane.pid)
      await link.ping('-c', '50')
      const used = cpuMs(plane.pid) - before

      assert.ok(used < 300, `${used} ms of CPU time`)
      await assert.rejects(other.ping('-w', '1'))
      await plane.detachPort('link', 0)
      await plane.detachPort('lost', 0)
      await assert.rejects(plane.attachPort('lost', 0, lost), { code: 'conflict' })
      await plane.attachPort('link', 0, spaces[0].addTap(firstAddress))
      await other.ping()
    })
  }

  it('with its namespace goes on with other links', async () => {
    await using link = await TestDeviceLink.open()
    const space = new TestNamespace()
    await link.plane.openLink('lost', { filters: {}, suspended: false })
    await link.plane.attachPort('lost', 0, space.addTap(firstAddress))

    space[Symbol.dispose]()
    await link.ping('-c', '20')

    await link.plane.detachPort('lost', 0)
    await link.ping()
  })
})
