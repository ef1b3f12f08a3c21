import { execFileSync } from 'node:child_process'
import { linkEndpoints } from '../../src/links/links/link-contract.ts'
import { nodeEndpoints } from '../../src/links/nodes/node-contract.ts'
import { projectEndpoints } from '../../src/links/projects/project-contract.ts'
import { typeAt } from '../../test/support/vpcs-console.ts'
import { say } from './say.ts'
import type { DemoServer } from './server.ts'

interface ShownNode {
  readonly node_id: string
  readonly console: number
}

interface ShownLink {
  readonly link_id: string
  readonly capture_file_path: string
}

/** A lab of two virtual PCs, a link between them, a delay on it, and a capture of what passed. */
export async function showLinks({ client }: DemoServer): Promise<void> {
  const { project_id } = (await client.call(projectEndpoints.create, {
    body: { name: 'demo' },
  })) as { project_id: string }
  const nodes = [await addNode('PC1', '10.0.0.1'), await addNode('PC2', '10.0.0.2')] as const
  const ends = nodes.map(({ node_id }) => ({ node_id, adapter_number: 0, port_number: 0 }))
  const { link_id } = (await client.call(linkEndpoints.create, {
    params: { project_id },
    body: { nodes: ends },
  })) as ShownLink
  for (const { node_id } of nodes) await client.call(nodeEndpoints.start, { params: { project_id, node_id } })
  say('Made a lab: two virtual PCs and a link between them, all running')

  const params = { project_id, link_id }
  await client.call(linkEndpoints.startCapture, { params, body: {} })
  say(`Ping through the link: ${await ping(nodes[0])} ms`)
  await client.call(linkEndpoints.update, { params, body: { filters: { delay: [80] } } })
  say(`Ping with 80 ms of delay in each direction: ${await ping(nodes[0])} ms`)
  const { capture_file_path } = (await client.call(linkEndpoints.stopCapture, { params })) as ShownLink
  say(`Captured ${countFrames(capture_file_path)} frames, which tcpdump reads`)

  async function addNode(name: string, address: string): Promise<ShownNode> {
    const properties = { startup_script: `ip ${address}/24\n` }
    const body = { name, node_type: 'vpcs', compute_id: 'local', properties } as const
    return (await client.call(nodeEndpoints.create, { params: { project_id }, body })) as ShownNode
  }
}

/** The median of five round trips, as the virtual PC measures them. */
async function ping(node: ShownNode): Promise<string> {
  const shown = await typeAt(node.console, 'ping 10.0.0.2 -c 5 -i 200', /icmp_seq=5[^\n]*\n/)
  const times = [...shown.matchAll(/time=([\d.]+) ms/g)].map(([, time]) => Number(time)).sort((a, b) => a - b)
  if (times.length === 0) throw new Error(`The ping was not answered: ${shown}`)
  return (times[Math.floor(times.length / 2)] as number).toFixed(1)
}

function countFrames(path: string): number {
  const lines = execFileSync('tcpdump', ['-nr', path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  return lines.trim().split('\n').length
}
