import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { exec, lacksHosts } from '../support/host-lab.ts'
import type { Json } from '../support/json.ts'
import { post, put } from '../support/lab.ts'
import { startProgram } from '../support/program.ts'
import { lacksProgram, lacksRoot } from '../support/programs.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { waitUntil } from '../support/wait-until.ts'

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString()

/** A host 10.77.x.1 that is joined to a port of a cloud. */
async function joinHost(server: TestServer, { subnet, port }: { subnet: string; port: object }) {
  const { project_id } = await post(server, '/v2/projects', { name: subnet, auto_close: false })
  const base = `/v2/projects/${project_id}`
  const create = (name: string, node_type: string, properties: object): Promise<Json> =>
    post(server, `${base}/nodes`, { name, node_type, compute_id: 'local', properties })
  const cloud = await create('C1', 'cloud', { ports_mapping: [{ name: 'p', port_number: 0, ...port }] })
  const host = await create('H1', 'host', { interfaces: [{ name: 'eth0', addresses: [`${subnet}.1/24`] }] })
  const nodes = [cloud, host].map(({ node_id }) => ({ node_id, adapter_number: 0, port_number: 0 }))
  const link = await post(server, `${base}/links`, { nodes })
  await post(server, `${base}/nodes/${host.node_id}/start`)
  const ping = async (address: string) => {
    const lab = { base, nodes: [host.node_id, ''] as const, linkPath: '' }
    return (await exec(server, lab, { host: 0, command: `ping -c 2 -i 0.1 -W 1 ${address}` })).exit_code === 0
  }
  return { base, ping, cloudPath: `${base}/nodes/${cloud.node_id}`, linkPath: `${base}/links/${link.link_id}` }
}

describe('a host that is joined to what is outside', { skip: lacksHosts }, () => {
  let server: TestServer
  before(async () => {
    server = await startTestServer()
  })
  after(() => server[Symbol.asyncDispose]())

  it('reaches this machine through a TAP device, which goes with the link', async () => {
    const name = `bh${process.pid}`
    const lab = await joinHost(server, { subnet: '10.77.1', port: { type: 'tap', interface: name } })
    ip('address', 'add', '10.77.1.9/24', 'dev', name)
    ip('link', 'set', name, 'up')
    await waitUntil('an answer', () => lab.ping('10.77.1.9'))
    await put(server, lab.linkPath, { filters: { packet_loss: [100] } })
    assert.equal(await lab.ping('10.77.1.9'), false)

    await server.ask(lab.linkPath, { method: 'DELETE' })
    await waitUntil('the device is gone', () => !ip('-br', 'link').includes(name))
  })

  it('reaches what is behind an interface of this machine', async () => {
    const [near, far, namespace] = [`bhn${process.pid}`, `bhf${process.pid}`, `backhaul-${process.pid}`]
    ip('netns', 'add', namespace)
    try {
      ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', namespace)
      ip('link', 'set', near, 'up')
      ip('-n', namespace, 'address', 'add', '10.77.2.9/24', 'dev', far)
      ip('-n', namespace, 'link', 'set', far, 'up')
      const lab = await joinHost(server, { subnet: '10.77.2', port: { type: 'ethernet', interface: near } })
      await waitUntil('an answer', () => lab.ping('10.77.2.9'))
    } finally {
      ip('netns', 'del', namespace)
    }
  })

  it('is joined to another device when the port of its cloud is changed', async () => {
    const [first, second] = [`bha${process.pid}`, `bhb${process.pid}`]
    const lab = await joinHost(server, { subnet: '10.77.3', port: { type: 'tap', interface: first } })
    const ports_mapping = [{ name: 'p', port_number: 0, type: 'tap', interface: second }]
    await put(server, lab.cloudPath, { properties: { ports_mapping } })
    assert.ok(!ip('-br', 'link').includes(first))
    ip('address', 'add', '10.77.3.9/24', 'dev', second)
    ip('link', 'set', second, 'up')
    await waitUntil('an answer', () => lab.ping('10.77.3.9'))
    await post(server, `${lab.base}/close`)
    await waitUntil('the device is gone', () => !ip('-br', 'link').includes(second))
  })

  it('cannot be joined to an interface that is not there, and is told so', async () => {
    const port = { type: 'ethernet', interface: 'nothere0' }
    await assert.rejects(joinHost(server, { subnet: '10.77.4', port }), /409.*nothere0/)
  })
})

describe('a server without privileges', { skip: lacksRoot || lacksProgram('setpriv') }, () => {
  it('says why it cannot start nodes that need them, and does everything else', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backhaul-plain-'))
    const powerless = ['setpriv', '--bounding-set=-sys_admin,-net_admin,-net_raw', '--']
    const program = await startProgram(folder, { api: await freePort(), content: await freePort() }, powerless)
    assert.ok(program.isReady, program.complaints())
    const { server } = program
    try {
      const { project_id } = await post(server, '/v2/projects', { name: 'plain' })
      const base = `/v2/projects/${project_id}`
      const create = (name: string, node_type: string, properties: object = {}): Promise<Json> =>
        post(server, `${base}/nodes`, { name, node_type, compute_id: 'local', properties })
      const host = await create('H1', 'host')
      const refused = await server.ask(`${base}/nodes/${host.node_id}/start`, { method: 'POST' })
      assert.equal(refused.status, 409)
      assert.match(refused.body.message, /^Cannot start H1: /)
      const hub = await create('HUB', 'ethernet_hub')
      const tap = await create('T', 'cloud', {
        ports_mapping: [{ name: 't', port_number: 0, type: 'tap', interface: 'bhx0' }],
      })
      const join = (first: Json, port_number: number) =>
        server.ask(`${base}/links`, {
          method: 'POST',
          body: {
            nodes: [
              { node_id: first.node_id, adapter_number: 0, port_number: 0 },
              { node_id: hub.node_id, adapter_number: 0, port_number },
            ],
          },
        })
      const unjoined = await join(tap, 0)
      assert.equal(unjoined.status, 409)
      assert.match(unjoined.body.message, /root|permission/i)
      const rport = await freePort()
      const udp = { name: 'u', port_number: 0, type: 'udp', lport: await freePort(), rhost: '127.0.0.1', rport }
      assert.equal((await join(await create('U', 'cloud', { ports_mapping: [udp] }), 1)).status, 201)
      assert.equal((await join(host, 2)).status, 201)
    } finally {
      await program.stop('SIGTERM')
      await rm(folder, { recursive: true })
    }
  })
})
