import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listen } from '../support/events.ts'
import type { Json } from '../support/json.ts'
import { post, put } from '../support/lab.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
  await server.ask('/api/users', { method: 'POST', body: { login: 'plain', password: 'plain password' } })
})
after(() => server[Symbol.asyncDispose]())

const list = async (): Promise<Json[]> => (await server.ask('/v2/templates')).body
const builtIn = async (type: string): Promise<Json> =>
  (await list()).find((each) => each.builtin && each.template_type === type)

describe('built-in templates', () => {
  it('are there for every kind of node, the same on every server, and stay as they are', async () => {
    const types = (await list()).filter(({ builtin }) => builtin).map(({ template_type }) => template_type)
    assert.deepEqual(types.toSorted(), ['cloud', 'ethernet_hub', 'ethernet_switch', 'host', 'vpcs'])
    const vpcs = await builtIn('vpcs')
    assert.equal(vpcs.template_id, '8fa3794f-4a7f-8f71-851a-7e66d5f0e15f')
    assert.equal(vpcs.name, 'VPCS')
    assert.equal(vpcs.compute_id, null)
    assert.equal((await builtIn('ethernet_switch')).ports_mapping.length, 8)
    const path = `/v2/templates/${vpcs.template_id}`
    assert.equal((await server.ask(path, { method: 'PUT', body: { name: 'Mine' } })).status, 403)
    assert.equal((await server.ask(path, { method: 'DELETE' })).status, 403)
  })
})

describe('templates', () => {
  const mine = {
    name: 'Trunk switch',
    template_type: 'ethernet_switch',
    default_name_format: 'Trunk{0}',
    symbol: ':/symbols/router.svg',
    ports_mapping: [{ name: 'up', port_number: 0, type: 'dot1q', vlan: 1 }],
  }

  it('keep what was said of the nodes that they make', async () => {
    const made = await post(server, '/v2/templates', mine)
    assert.deepEqual(made.ports_mapping, mine.ports_mapping)
    assert.deepEqual((await server.ask(`/v2/templates/${made.template_id}`)).body, made)
    const copy = await post(server, `/v2/templates/${made.template_id}/duplicate`)
    assert.notEqual(copy.template_id, made.template_id)
    assert.deepEqual(copy.ports_mapping, mine.ports_mapping)
    const renamed = await put(server, `/v2/templates/${made.template_id}`, {
      ...made,
      name: 'Other',
      usage: 'For trunks',
    })
    assert.deepEqual(renamed, { ...made, name: 'Other', usage: 'For trunks' })

    const project = await post(server, '/v2/projects', { name: 'from templates' })
    const path = `/v2/projects/${project.project_id}/templates/${made.template_id}`
    const nodes = [await post(server, path, { x: 1, y: 2 }), await post(server, path, { x: 3, y: 4 })]
    assert.deepEqual(
      nodes.map(({ name, x, y, symbol, template_id }: Json) => ({ name, x, y, symbol, template_id })),
      [
        { name: 'Trunk1', x: 1, y: 2, symbol: mine.symbol, template_id: made.template_id },
        { name: 'Trunk2', x: 3, y: 4, symbol: mine.symbol, template_id: made.template_id },
      ],
    )
    assert.deepEqual(nodes[0].properties.ports_mapping, mine.ports_mapping)
    assert.equal((await server.ask(`/v2/templates/${made.template_id}`, { method: 'DELETE' })).status, 204)
    assert.equal((await server.ask(path, { method: 'POST', body: { x: 1, y: 2 } })).status, 404)
  })

  it('are refused when their nodes could not be', async () => {
    const before = (await list()).length
    for (const [body, field] of [
      [{ ...mine, template_type: 'toaster' }, /template_type/],
      [{ ...mine, ports_mapping: [{ name: 'x' }] }, /ports_mapping/],
      [{ ...mine, colour: 'red' }, /colour/],
      [{ ...mine, name: 'a/b' }, /name/],
      [{ template_type: 'vpcs' }, /name/],
    ] as const) {
      const answer = await server.ask('/v2/templates', { method: 'POST', body })
      assert.equal(answer.status, 400, JSON.stringify(answer.body))
      assert.match(answer.body.message, field)
    }
    assert.equal((await server.ask('/v2/templates/nope')).status, 404)
    assert.equal((await list()).length, before)
  })

  it('belong to who made them: others see them and leave them alone', async () => {
    const as = 'plain:plain password'
    const theirs = await server.ask('/v2/templates', { method: 'POST', body: { ...mine, name: 'Theirs' }, as })
    const own = await post(server, '/v2/templates', { ...mine, name: 'Own' })
    const path = `/v2/templates/${own.template_id}`

    assert.equal((await server.ask(path, { as })).status, 200)
    assert.equal((await server.ask(path, { method: 'PUT', body: { name: 'X' }, as })).status, 403)
    assert.equal((await server.ask(path, { method: 'DELETE', as })).status, 403)
    const project = await server.ask('/v2/projects', { method: 'POST', body: { name: 'plain templates' }, as })
    const host = (await builtIn('host')).template_id
    const made = `/v2/projects/${project.body.project_id}/templates`
    assert.equal((await server.ask(`${made}/${host}`, { method: 'POST', body: {}, as })).status, 403)
    assert.equal((await server.ask(`${made}/${own.template_id}`, { method: 'POST', body: {}, as })).status, 201)
    assert.equal((await server.ask(`/v2/templates/${theirs.body.template_id}`, { method: 'DELETE', as })).status, 204)
  })

  it('tell of their changes to all who listen to the server', async () => {
    await using listener = await listen(server, '/v2/notifications')
    const { template_id } = await post(server, '/v2/templates', { ...mine, name: 'Heard' })
    await put(server, `/v2/templates/${template_id}`, { usage: 'x' })
    await server.ask(`/v2/templates/${template_id}`, { method: 'DELETE' })

    const heard = (await listener.until('template.deleted')).filter(({ event }) => event.template_id === template_id)
    assert.deepEqual(
      heard.map(({ action }) => action),
      ['template.created', 'template.updated', 'template.deleted'],
    )
  })
})

describe('gns3fy', () => {
  it('finds what it needs when it makes two nodes from a template, joins and starts them', async () => {
    const version = (await server.ask('/v2/version')).body
    assert.deepEqual([version.version, version.local], ['2.2.33.1', false])
    const project = await post(server, '/v2/projects', { name: 'gns3fy', auto_close: false })
    const base = `/v2/projects/${project.project_id}`
    const template = (await list()).find(({ name }) => name === 'VPCS')
    for (const key of ['template_id', 'template_type', 'builtin', 'category', 'console_type', 'name'])
      assert.ok(key in template, key)
    const nodes: Json[] = []
    for (const [index, name] of ['alice', 'bob'].entries()) {
      const made = await post(server, `${base}/templates/${template.template_id}`, {
        x: index,
        y: 0,
        compute_id: 'local',
      })
      nodes.push(
        await put(server, `${base}/nodes/${made.node_id}`, { ...made, compute_id: 'local', name, template: 'VPCS' }),
      )
    }
    const ends = nodes.map(({ node_id, ports }) => {
      const [{ adapter_number, port_number, name }] = ports
      return { node_id, adapter_number, port_number, label: { text: name } }
    })
    const link = await post(server, `${base}/links`, { project_id: project.project_id, nodes: ends })
    assert.deepEqual([link.link_type, link.nodes[0].label.text], ['ethernet', 'Ethernet0'])
    assert.deepEqual(
      (await server.ask(`${base}/nodes`)).body.map(({ name }: Json) => name),
      ['alice', 'bob'],
    )
    const [onNode] = (await server.ask(`${base}/nodes/${nodes[0].node_id}/links`)).body
    assert.equal(onNode.link_id, link.link_id)
    const missing = await server.ask(`${base}/nodes/00000000-0000-0000-0000-000000000000`)
    assert.deepEqual(Object.keys(missing.body).toSorted(), ['message', 'status'])
  })
})

describe('the dialogs of the Qt GUI', () => {
  it('can be drawn from available_filters, and what they send for "nothing" means off', async () => {
    const project = await post(server, '/v2/projects', { name: 'qt' })
    const base = `/v2/projects/${project.project_id}`
    const create = async (node_type: string) =>
      (await post(server, `${base}/nodes`, { name: node_type, node_type, compute_id: 'local' })).node_id
    const ends = [await create('ethernet_hub'), await create('ethernet_switch')].map((node_id) => ({
      node_id,
      adapter_number: 0,
      port_number: 0,
    }))
    const link = await post(server, `${base}/links`, {
      nodes: ends,
      filters: { delay: [5] },
      link_style: {},
      suspend: false,
    })
    const path = `${base}/links/${link.link_id}`
    const available: Json[] = (await server.ask(`${path}/available_filters`)).body
    for (const { parameters } of available) {
      for (const [index, parameter] of parameters.entries()) {
        if (parameter.type === 'text') assert.equal(index, 0)
        else for (const key of ['minimum', 'maximum', 'unit']) assert.ok(parameter[key] !== undefined, key)
      }
    }
    const zeros = Object.fromEntries(
      available.map(({ type, parameters }) => [type, parameters.map((each: Json) => (each.type === 'text' ? '' : 0))]),
    )
    assert.deepEqual((await put(server, path, { ...link, filters: zeros })).filters, {})
    const refused = await server.ask('/v2/version', { method: 'POST', body: { version: '1.5.0' } })
    assert.equal(refused.status, 409)
    for (const path of [
      '/v2/computes',
      '/v2/templates',
      '/v2/symbols',
      '/v2/appliances',
      '/v2/gns3vm',
      '/v2/iou_license',
    ])
      assert.equal((await server.ask(path)).status, 200, path)
  })
})
