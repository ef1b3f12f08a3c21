import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { post, put } from '../support/lab.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { createUdpLab, numberedFrame } from '../support/udp-lab.ts'
import { waitUntil } from '../support/wait-until.ts'

let server: TestServer
let projects = 0
before(async () => {
  server = await startTestServer()
  await server.ask('/api/users', { method: 'POST', body: { login: 'plain', password: 'plain password' } })
})
after(() => server[Symbol.asyncDispose]())

async function createProject(): Promise<string> {
  projects += 1
  return `/v2/projects/${(await post(server, '/v2/projects', { name: `kinds ${projects}` })).project_id}`
}

const create = (base: string, node_type: string, properties: object = {}) =>
  post(server, `${base}/nodes`, { name: node_type, node_type, compute_id: 'local', properties })

describe('nodes that are always on', () => {
  it('run from their creation on, stay so whatever is asked, and rest only with their project', async () => {
    const base = await createProject()
    const node = await create(base, 'ethernet_switch')
    const path = `${base}/nodes/${node.node_id}`
    const status = async () => (await server.ask(path)).body.status

    assert.equal(node.status, 'started')
    for (const action of ['stop', 'suspend', 'reload', 'start'])
      assert.equal((await post(server, `${path}/${action}`)).status, 'started')
    await post(server, `${base}/close`)
    assert.equal(await status(), 'stopped')
    await post(server, `${base}/open`)
    assert.equal(await status(), 'started')
  })

  it('have the ports of their mapping, by default eight', async () => {
    const base = await createProject()
    const node = await create(base, 'ethernet_switch')
    const hub = await create(base, 'ethernet_hub', { ports_mapping: [{ name: 'A', port_number: 3 }] })

    assert.equal(node.ports.length, 8)
    assert.deepEqual(node.properties.ports_mapping[0], { name: 'Ethernet0', port_number: 0, type: 'access', vlan: 1 })
    assert.deepEqual(
      hub.ports.map((port: { name: string; port_number: number; short_name: string }) => [
        port.name,
        port.short_name,
        port.port_number,
      ]),
      [['A', 'e3', 3]],
    )
  })

  it('refuse mappings that make no sense, and name what is wrong', async () => {
    const base = await createProject()
    const refused = async (node_type: string, mapping: object[], field: RegExp) => {
      const body = { name: 'X', node_type, compute_id: 'local', properties: { ports_mapping: mapping } }
      const answer = await server.ask(`${base}/nodes`, { method: 'POST', body })
      assert.equal(answer.status, 400, JSON.stringify(answer.body))
      assert.match(answer.body.message, field)
    }
    const access = { name: 'a', port_number: 0, type: 'access', vlan: 1 }
    await refused('ethernet_switch', [{ ...access, vlan: 4095 }], /ports_mapping.*vlan/)
    await refused('ethernet_switch', [{ ...access, type: 'trunk' }], /ports_mapping.*type/)
    await refused('ethernet_switch', [{ ...access, ethertype: '0x0800' }], /ports_mapping.*ethertype/)
    await refused('ethernet_switch', [access, { ...access, name: 'b' }], /ports_mapping\[1\]\.port_number/)
    await refused('ethernet_hub', [{ name: 'a', port_number: -1 }], /ports_mapping.*port_number/)
    await refused(
      'cloud',
      [{ name: 'a', port_number: 0, type: 'udp', lport: 0, rhost: 'h', rport: 1 }],
      /ports_mapping/,
    )
    await refused('cloud', [{ name: 'a', port_number: 0, type: 'tap', interface: '../x' }], /ports_mapping/)
    assert.deepEqual((await server.ask(`${base}/nodes`)).body, [])
  })

  it('keep the ports that links end at', async () => {
    const base = await createProject()
    const first = await create(base, 'ethernet_switch')
    const second = await create(base, 'ethernet_hub')
    const ends = [first, second].map(({ node_id }) => ({ node_id, adapter_number: 0, port_number: 5 }))
    await post(server, `${base}/links`, { nodes: ends })
    const [keeps] = first.properties.ports_mapping
    const answer = await server.ask(`${base}/nodes/${first.node_id}`, {
      method: 'PUT',
      body: { properties: { ports_mapping: [keeps] } },
    })

    assert.equal(answer.status, 409)
    assert.match(answer.body.message, /0\/5/)
    const kept = first.properties.ports_mapping.slice(3)
    assert.equal(
      (await put(server, `${base}/nodes/${first.node_id}`, { properties: { ports_mapping: kept } })).ports.length,
      5,
    )
  })
})

describe('a cloud', () => {
  it('shows the interfaces of the machine and takes them back without keeping them', async () => {
    const base = await createProject()
    const node = await create(base, 'cloud')
    assert.ok(node.properties.interfaces.some(({ name }: { name: string }) => name === 'lo'))

    const back = await put(server, `${base}/nodes/${node.node_id}`, { properties: node.properties })
    assert.deepEqual(back.properties, node.properties)
  })

  it('with a UDP port that is in use elsewhere refuses the link, and nothing of it is left', async () => {
    const base = await createProject()
    const mapping = [
      { name: 'u', port_number: 0, type: 'udp', lport: Number(new URL(server.api).port), rhost: '127.0.0.1', rport: 9 },
    ]
    const holder = createSocket('udp4').bind(0, '127.0.0.1')
    await once(holder, 'listening')
    const taken = { ...mapping[0], lport: holder.address().port }
    const cloud = await create(base, 'cloud', { ports_mapping: [taken] })
    const hub = await create(base, 'ethernet_hub')
    const ends = [cloud, hub].map(({ node_id }) => ({ node_id, adapter_number: 0, port_number: 0 }))
    const refused = await server.ask(`${base}/links`, { method: 'POST', body: { nodes: ends } })
    const left = await server.ask(`${base}/links`)
    holder.close()

    assert.equal(refused.status, 409)
    assert.match(refused.body.message, /in use/)
    assert.deepEqual(left.body, [])
    await post(server, `${base}/links`, { nodes: ends })
  })

  it('whose new UDP port is in use elsewhere refuses the change, and works on as it was', async () => {
    await using lab = await createUdpLab(server)
    const nodes = (await server.ask(`${lab.base}/nodes`)).body as { node_id: string; node_type: string }[]
    const path = `${lab.base}/nodes/${nodes.find(({ node_type }) => node_type === 'cloud')?.node_id}`
    const { properties } = (await server.ask(path)).body
    const [port] = properties.ports_mapping
    const holder = createSocket('udp4').bind(0, '127.0.0.1')
    await once(holder, 'listening')
    const ports_mapping = [{ ...port, lport: holder.address().port }]
    const refused = await server.ask(path, { method: 'PUT', body: { properties: { ports_mapping } } })
    holder.close()

    assert.equal(refused.status, 409, JSON.stringify(refused.body))
    assert.deepEqual((await server.ask(path)).body.properties, properties)
    for (const [from, to] of [
      [lab.left, lab.right],
      [lab.right, lab.left],
    ] as const) {
      await from.send(numberedFrame(1))
      await waitUntil('the frame', () => to.arrivals.length === 1)
    }
  })
})

describe('who has no right to hosts', () => {
  it('can make neither hosts nor clouds with devices of this machine', async () => {
    const as = 'plain:plain password'
    const project = await server.ask('/v2/projects', { method: 'POST', body: { name: 'plain project' }, as })
    const base = `/v2/projects/${project.body.project_id}`
    const ask = (node_type: string, properties: object) =>
      server.ask(`${base}/nodes`, {
        method: 'POST',
        body: { name: 'X', node_type, compute_id: 'local', properties },
        as,
      })
    const tap = { ports_mapping: [{ name: 't', port_number: 0, type: 'tap', interface: 'tap9' }] }
    const udp = { ports_mapping: [{ name: 'u', port_number: 0, type: 'udp', lport: 1, rhost: '127.0.0.1', rport: 1 }] }

    assert.equal((await ask('host', {})).status, 403)
    assert.equal((await ask('cloud', tap)).status, 403)
    const allowed = await ask('cloud', udp)
    assert.equal(allowed.status, 201)
    const widened = await server.ask(`${base}/nodes/${allowed.body.node_id}`, {
      method: 'PUT',
      body: { properties: tap },
      as,
    })
    assert.equal(widened.status, 403)
  })

  it('can neither start a host that somebody else made, nor run commands in it', async () => {
    const base = await createProject()
    const host = await create(base, 'host')
    await server.ask(`${base}/members/2`, { method: 'PUT' })
    const as = 'plain:plain password'
    const path = `${base}/nodes/${host.node_id}`

    assert.equal((await server.ask(path, { as })).status, 200)
    assert.equal((await server.ask(`${path}/start`, { method: 'POST', as })).status, 403)
    assert.equal((await server.ask(`${path}/exec`, { method: 'POST', body: { command: 'id' }, as })).status, 403)
    assert.equal((await server.ask(`${base}/nodes/start`, { method: 'POST', as })).status, 409)
    assert.equal((await server.ask(path)).body.status, 'stopped')
  })
})
