import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { listen } from '../support/events.ts'
import type { Json } from '../support/json.ts'
import { post } from '../support/lab.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { createFullProject, importDocument } from '../support/topology.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server[Symbol.asyncDispose]())

const idOf = (base: string) => base.split('/').at(-1) as string

describe('a topology document', () => {
  it('has the keys of those of GNS3', async () => {
    const { base, document } = await createFullProject(server)
    const { topology, ...settings } = document

    assert.deepEqual(Object.keys(settings).sort(), [
      ...['auto_close', 'auto_open', 'auto_start', 'drawing_grid_size', 'grid_size', 'name', 'project_id', 'revision'],
      ...[
        'scene_height',
        'scene_width',
        'show_grid',
        'show_interface_labels',
        'show_layers',
        'snap_to_grid',
        'supplier',
      ],
      ...['type', 'variables', 'version', 'zoom'],
    ])
    assert.equal(document.project_id, idOf(base))
    assert.deepEqual(Object.keys(topology).sort(), ['computes', 'drawings', 'links', 'nodes'])
    assert.deepEqual(Object.keys(topology.nodes[0]).sort(), [
      ...[
        'compute_id',
        'console',
        'console_auto_start',
        'console_type',
        'custom_adapters',
        'first_port_name',
        'height',
      ],
      ...['label', 'locked', 'name', 'node_id', 'node_type', 'port_name_format', 'port_segment_size', 'properties'],
      ...['symbol', 'template_id', 'width', 'x', 'y', 'z'],
    ])
    assert.deepEqual(Object.keys(topology.links[0]).sort(), ['filters', 'link_id', 'link_style', 'nodes', 'suspend'])
    assert.deepEqual(topology.nodes[3].properties.interfaces, undefined)
  })

  it('is the same after it has been imported, where its ids are free', async () => {
    const { base, document } = await createFullProject(server)
    const shown = (await server.ask(`${base}/nodes`)).body
    await server.ask(base, { method: 'DELETE' })

    const imported = await importDocument(server, document, { id: idOf(base) })

    assert.equal(imported.status, 201, JSON.stringify(imported.body))
    assert.equal(imported.body.status, 'closed')
    assert.equal(imported.body.grid_size, 20)
    assert.deepEqual((await server.ask(`${base}/export`)).body, document)
    await post(server, `${base}/open`)
    assert.deepEqual((await server.ask(`${base}/export`)).body, document)
    assert.deepEqual((await server.ask(`${base}/nodes`)).body, shown)
  })

  it('is imported under new ids where its own are taken, and all that refers to them follows', async () => {
    const { base, document } = await createFullProject(server)
    await using listener = await listen(server, '/v2/notifications')
    const imported = await importDocument(server, document, { name: 'another name' })
    assert.equal(imported.status, 201, JSON.stringify(imported.body))
    const other = `/v2/projects/${imported.body.project_id}`
    const copy: Json = (await server.ask(`${other}/export`)).body

    const ids = (found: Json) =>
      [...found.nodes, ...found.links, ...found.drawings].map(
        ({ node_id, link_id, drawing_id }: Json) => node_id ?? link_id ?? drawing_id,
      )
    const fresh = new Map<string, string>(
      ids(document.topology).map((id: string, index: number) => [id, ids(copy.topology)[index]]),
    )
    assert.equal(new Set([...fresh.keys(), ...fresh.values()]).size, 2 * fresh.size)
    let expected = JSON.stringify({ ...document, name: 'another name', project_id: imported.body.project_id })
    for (const [before, now] of fresh) expected = expected.replaceAll(before, now)
    const withoutPorts = (found: Json) => ({
      ...found,
      topology: { ...found.topology, nodes: found.topology.nodes.map((node: Json) => ({ ...node, console: null })) },
    })
    assert.deepEqual(withoutPorts(copy), withoutPorts(JSON.parse(expected)))
    const ports = [...document.topology.nodes, ...copy.topology.nodes].map(({ console: port }: Json) => port)
    const used = ports.filter((port: unknown) => port !== null)
    assert.equal(new Set(used).size, used.length)
    assert.deepEqual((await server.ask(`${base}/export`)).body, document)
    assert.equal((await listener.until('project.created')).at(-1)?.event.name, 'another name')
  })

  it('that GNS3 wrote is read, whatever else it says', async () => {
    const name = `from GNS3 ${randomUUID()}`
    const node = (number: number) => ({
      ...{ compute_id: 'vm', console: 22, console_auto_start: false, console_type: 'telnet', custom_adapters: [] },
      ...{ first_port_name: null, height: 59, width: 65, x: -20, y: 10 * number, z: 1, locked: false },
      label: { rotation: 0, style: 'font-size: 10.0;', text: `PC${number}`, x: null, y: -25 },
      ...{
        name: `PC${number}`,
        node_id: randomUUID().toUpperCase(),
        node_type: 'vpcs',
        port_name_format: 'Ethernet{0}',
      },
      ...{ port_segment_size: 0, properties: {}, symbol: ':/symbols/vpcs_guest.svg', template_id: randomUUID() },
    })
    const nodes = [node(1), node(2)]
    const ends = nodes.map(({ node_id }) => ({
      adapter_number: 0,
      label: { rotation: 0, style: '', text: 'e0', x: 68, y: 20.5 },
      node_id,
      port_number: 0,
    }))
    const document = {
      ...{ auto_close: true, auto_open: false, auto_start: false, drawing_grid_size: 25, grid_size: 75, name },
      ...{ project_id: randomUUID(), revision: 9, scene_height: 1000, scene_width: 2000, show_grid: false },
      ...{ show_interface_labels: false, show_layers: false, snap_to_grid: false, supplier: null, type: 'topology' },
      ...{ variables: null, version: '2.2.59', zoom: 100, something_new: { a: 1 } },
      topology: {
        computes: [{ compute_id: 'vm', host: '10.0.0.1', name: 'vm', port: 3080, protocol: 'http' }],
        drawings: [{ drawing_id: randomUUID(), locked: false, rotation: 0, svg: '<svg></svg>', x: 1, y: 2, z: 0 }],
        links: [{ filters: {}, link_id: randomUUID(), link_style: {}, nodes: ends, suspend: false }],
        nodes,
      },
    }

    const imported = await importDocument(server, document)

    assert.equal(imported.status, 201, JSON.stringify(imported.body))
    const base = `/v2/projects/${imported.body.project_id}`
    assert.deepEqual((await server.ask(`${base}/stats`)).body, { nodes: 2, links: 1, drawings: 1, snapshots: 0 })
    const [first]: Json = (await server.ask(`${base}/nodes`)).body
    const [lowest, highest] = (await server.ask('/v2/computes/local/ports')).body.console_port_range
    assert.ok(first.console >= lowest && first.console <= highest)
    assert.equal(first.label.y, -25)
  })
})
