import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { lacksHosts } from '../support/host-lab.ts'
import type { Json } from '../support/json.ts'
import { lacksVpcs, post, put, startNodes } from '../support/lab.ts'
import { networkNamespaces, processesOf, startProgram } from '../support/program.ts'
import type { TestServer } from '../support/test-server.ts'
import { ping } from '../support/vpcs-console.ts'
import { waitUntil } from '../support/wait-until.ts'

const pcs = 14
const hosts = 6

/** Twenty nodes on two switches that are joined by a slow link; PC1 is on the first one and PC14 on the other. */
async function startBigLab(server: TestServer) {
  const { project_id } = await post(server, '/v2/projects', { name: 'twenty', auto_close: false })
  const base = `/v2/projects/${project_id}`
  const create = (name: string, node_type: string, properties: object) =>
    post(server, `${base}/nodes`, { name, node_type, compute_id: 'local', properties })
  const ports_mapping = Array.from({ length: 16 }, (_, port_number) => ({
    name: `e${port_number}`,
    port_number,
    type: 'access',
    vlan: 1,
  }))
  const switches = [
    await create('SW1', 'ethernet_switch', { ports_mapping }),
    await create('SW2', 'ethernet_switch', { ports_mapping }),
  ]
  const join = (ends: readonly (readonly [Json, number])[], more: object = {}) =>
    post(server, `${base}/links`, {
      nodes: ends.map(([{ node_id }, port_number]) => ({ node_id, adapter_number: 0, port_number })),
      ...more,
    })
  const trunk = await join(
    switches.map((each) => [each, 0] as const),
    { filters: { delay: [20] } },
  )
  const nodes: Json[] = []
  for (let index = 0; index < pcs + hosts; index += 1) {
    const address = `10.0.0.${index + 1}/24`
    const isPc = index < pcs
    const node = isPc
      ? await create(`PC${index + 1}`, 'vpcs', { startup_script: `ip ${address}\n` })
      : await create(`H${index + 1}`, 'host', { interfaces: [{ name: 'eth0', addresses: [address] }] })
    await join([
      [node, 0],
      [switches[index % 2], 1 + Math.floor(index / 2)],
    ])
    nodes.push(node)
  }
  await startNodes(server, { base, nodes })
  const suspended = (await server.ask(`${base}/nodes/${nodes[2].node_id}/links`)).body[0]
  await put(server, `${base}/links/${suspended.link_id}`, { suspend: true })
  return { base, nodes, trunkPath: `${base}/links/${trunk.link_id}` }
}

describe('a server that is killed with twenty running nodes', { skip: lacksVpcs || lacksHosts }, () => {
  it('leaves nothing behind, and brings nodes, links, filters and suspension back when it starts again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backhaul-killed-'))
    const ports = { api: await freePort(), content: await freePort() }
    const added = () => networkNamespaces(folder).size
    await using first = await startProgram(folder, ports)
    const lab = await startBigLab(first.server)
    const [pc1] = lab.nodes
    await waitUntil('answers', async () => (await ping(pc1.console, '10.0.0.14')).length === 3)
    assert.equal(added(), pcs + hosts, 'a namespace for each node')

    await first.stop('SIGKILL')
    await waitUntil('no process of it runs', () => processesOf(folder).length === 0)
    await waitUntil('no namespace of it is left', () => added() === 0)

    await using second = await startProgram(folder, ports)
    const nodes: Json[] = (await second.server.ask(`${lab.base}/nodes`)).body
    assert.deepEqual([...new Set(nodes.map(({ status }) => status))], ['started'])
    await waitUntil('a namespace for each node again', () => added() === pcs + hosts)
    // another server may have taken the console's port meanwhile
    const { console } = nodes.find(({ node_id }) => node_id === pc1.node_id)
    const times = await waitUntil('answers', async () => {
      const answered = await ping(console, '10.0.0.14')
      return answered.length === 3 && answered
    })
    assert.ok(Math.min(...times) >= 40, `${times}`)
    assert.deepEqual(await ping(console, '10.0.0.3'), [], 'the suspended link')
    const exec = { command: 'ping -c 2 -i 0.1 -W 2 10.0.0.1' }
    assert.equal((await post(second.server, `${lab.base}/nodes/${lab.nodes[16].node_id}/exec`, exec)).exit_code, 0)

    await post(second.server, `${lab.base}/close`)
    await waitUntil('a closed project has no namespaces', () => added() === 0)
    assert.equal(await second.stop('SIGTERM'), 0)
    assert.deepEqual(processesOf(folder), [])
    await rm(folder, { recursive: true })
  })

  it('leaves nothing behind either when it is killed while they start', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backhaul-killed-'))
    const ports = { api: await freePort(), content: await freePort() }
    await using first = await startProgram(folder, ports)
    const lab = await startBigLab(first.server)
    for (let round = 0; round < 5; round += 1) {
      await using program = round === 0 ? first : await startProgram(folder, ports)
      await post(program.server, `${lab.base}/nodes/stop`)
      const starting = program.server.ask(`${lab.base}/nodes/start`, { method: 'POST' }).catch(() => undefined)
      await waitUntil(
        'some have started',
        () => processesOf(folder).filter((line) => line.includes('vpcs')).length > round,
      )
      await program.stop('SIGKILL')
      await starting
      await waitUntil('no process of it runs', () => processesOf(folder).length === 0)
    }
    await rm(folder, { recursive: true })
  })
})
