import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listenBySocket } from '../support/events.ts'
import type { Json } from '../support/json.ts'
import { post } from '../support/lab.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const origin = 'http://localhost:4200'
let server: TestServer
before(async () => {
  server = await startTestServer({ BACKHAUL_CORS_ORIGINS: origin })
})
after(() => server[Symbol.asyncDispose]())

/** As a page of another origin asks; every answer must be one that the browser lets it read. */
async function ask(path: string, asking: { method?: string; body?: unknown } = {}): Promise<Json> {
  const { status, headers, body } = await server.ask(path, { ...asking, headers: { origin } })
  assert.equal(headers.get('access-control-allow-origin'), origin, path)
  assert.ok(status < 300, `${path}: ${status} ${JSON.stringify(body)}`)
  return body
}

async function createProject(name: string) {
  const project = await ask('/v2/projects', { method: 'POST', body: { name } })
  const base = `/v2/projects/${project.project_id}`
  const templates = await ask('/v2/templates')
  const create = (type: string, x: number) => {
    const { template_id } = templates.find((each: Json) => each.builtin && each.template_type === type)
    return post(server, `${base}/templates/${template_id}`, { x, y: 0, compute_id: 'local' })
  }
  const nodes = [await create('vpcs', 0), await create('ethernet_switch', 200)]
  const ends = nodes.map(({ node_id, ports: [port] }) => ({
    node_id,
    adapter_number: port.adapter_number,
    port_number: port.port_number,
    label: { rotation: 0, style: 'font-size: 10', text: port.short_name, x: 10, y: 20 },
  }))
  const link = await ask(`${base}/links`, { method: 'POST', body: { nodes: ends } })
  return { base, nodes, link }
}

describe('the web page of GNS3', () => {
  it('gets all that it asks for when it opens a project', async () => {
    const { base, nodes, link } = await createProject('opened')

    const listed = await ask('/v2/projects')
    assert.ok(listed.some(({ name, status }: Json) => name === 'opened' && status === 'opened'))
    assert.equal((await ask(base)).scene_width, 2000)
    const shown = await ask(`${base}/nodes`)
    assert.deepEqual(
      shown.map(({ node_id }: Json) => node_id),
      nodes.map(({ node_id }) => node_id),
    )
    assert.ok((await ask('/v2/templates')).every((each: Json) => each.template_id && each.category && each.symbol))
    assert.deepEqual(await ask(`${base}/links`), [link])
    assert.deepEqual(await ask(`${base}/drawings`), [])
    assert.deepEqual(await ask(`${base}/stats`), { nodes: 2, links: 1, drawings: 0, snapshots: 0 })
    assert.equal((await ask('/v2/computes'))[0].compute_id, shown[0].compute_id)
    for (const { symbol } of shown) {
      assert.match(await ask(`/v2/symbols/${symbol}/raw`), /^<svg /)
      assert.deepEqual(Object.keys(await ask(`/v2/symbols/${encodeURIComponent(symbol)}/dimensions`)), [
        'width',
        'height',
      ])
    }
  })

  it('hears of changes by websocket, which a browser opens without headers', async () => {
    const { base } = await createProject('heard')
    const { token_value } = await ask('/api/users/1/personal_access_tokens', { method: 'POST', body: { name: 'page' } })
    const url = new URL(`${base}/notifications/ws?token=${token_value}`, server.api)
    url.protocol = 'ws:'
    await using listener = await listenBySocket(url)
    const { template_id } = (await ask('/v2/templates'))[0]
    await post(server, `${base}/templates/${template_id}`, { x: 0, y: 0 })

    const [heard] = await listener.until('node.created')
    assert.deepEqual([heard?.event.name, heard?.event.template_id], ['PC2', template_id])
  })

  it('changes links with the objects that it keeps of them, places without a value included', async () => {
    const { base, link } = await createProject('changed')
    const nodes = link.nodes.map((end: Json) => ({ ...end, label: { ...end.label, x: null, y: null } }))
    const kept = { ...link, nodes, x: null, y: null, distance: 0, length: 0 }
    const path = `${base}/links/${link.link_id}`

    assert.equal((await ask(path, { method: 'PUT', body: { ...kept, suspend: true } })).suspend, true)
    const filters = { bpf: ['icmp'], corrupt: [0], delay: [10, 0], frequency_drop: [0], packet_loss: [5] }
    const changed = await ask(path, { method: 'PUT', body: { ...kept, suspend: false, filters } })
    assert.deepEqual(Object.keys(changed.filters).toSorted(), ['bpf', 'delay', 'packet_loss'])
    assert.deepEqual(Object.keys(changed.nodes[0].label).toSorted(), ['rotation', 'style', 'text'])
  })

  it('gets what its menus ask for', async () => {
    const { base, nodes } = await createProject('menus')
    for (const path of [
      '/v2/version',
      '/v2/symbols',
      '/v2/default_symbols',
      '/v2/statistics',
      '/v2/gns3vm',
      '/v2/appliances',
      '/v2/computes/local/qemu/images',
      `${base}/snapshots`,
      `${base}/nodes/${nodes[0].node_id}`,
    ])
      await ask(path)
  })

  it('may read errors too, and ask for every method with a login', async () => {
    const missing = await server.ask('/v2/projects/none', { headers: { origin } })
    const stranger = await server.ask('/v2/projects', { as: null, headers: { origin } })
    for (const { headers } of [missing, stranger]) assert.equal(headers.get('access-control-allow-origin'), origin)
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      const { status, headers } = await server.ask('/v2/projects/none/nodes', {
        as: null,
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization,content-type',
        },
      })
      assert.equal(status, 204)
      assert.ok(headers.get('access-control-allow-methods')?.includes(method))
      assert.match(headers.get('access-control-allow-headers') ?? '', /authorization.*content-type/)
    }
  })
})
