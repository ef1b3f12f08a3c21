import { randomUUID } from 'node:crypto'
import type { Json } from './json.ts'
import { createLab, post, put } from './lab.ts'
import type { TestServer } from './test-server.ts'

/** A project with something of everything. */
export async function createFullProject(server: TestServer): Promise<{ base: string; document: Json }> {
  const { base, nodes, linkPath } = await createLab(server)
  const create = (name: string, node_type: string, properties: object = {}) =>
    post(server, `${base}/nodes`, { name, node_type, compute_id: 'local', properties })
  const hub = await create('Hub', 'ethernet_hub')
  const udp = { name: 'u', port_number: 0, type: 'udp', lport: 31999, rhost: '127.0.0.1', rport: 31998 }
  await create('Cloud', 'cloud', { ports_mapping: [udp] })
  const host = await create('Host', 'host', { adapters: 2, startup_commands: ['true'] })
  await put(server, `${base}/nodes/${nodes[0].node_id}`, {
    x: -12.5,
    z: 3,
    locked: true,
    template_id: randomUUID(),
    label: { text: 'one', x: 4 },
  })
  const end = (node: Json, adapter_number = 0, port_number = 0) => ({
    node_id: node.node_id,
    adapter_number,
    port_number,
  })
  await post(server, `${base}/links`, {
    nodes: [end(hub, 0, 7), end(host, 1)],
    suspend: true,
    link_style: { width: 3 },
  })
  await put(server, linkPath, { filters: { delay: [30, 5], bpf: ['icmp'] } })
  await post(server, `${base}/drawings`, { svg: '<svg><rect/></svg>', x: 8.25, rotation: -30, locked: true })
  await put(server, base, { auto_close: false, grid_size: 20, variables: [{ name: 'A', value: 'b' }] })
  return { base, document: (await server.ask(`${base}/export`)).body }
}

export async function importDocument(
  server: TestServer,
  document: unknown,
  { id = randomUUID() as string, name = '', user = '' } = {},
) {
  const query = name === '' ? '' : `?name=${encodeURIComponent(name)}`
  const path = `/v2/projects/${id}/import${query}`
  return server.ask(path, { method: 'POST', body: document, ...(user === '' ? {} : { as: user }) })
}
