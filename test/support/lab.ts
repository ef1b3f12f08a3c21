import assert from 'node:assert/strict'
import { accessSync } from 'node:fs'
import type { Json } from './json.ts'
import type { TestServer } from './test-server.ts'

function isInstalled(path: string): boolean {
  try {
    accessSync(path)
    return true
  } catch {
    return false
  }
}

/** The reason to skip tests with real virtual PCs; false when they can run. */
export const lacksVpcs =
  process.getuid?.() === 0 && ['/usr/bin/vpcs', '/usr/bin/bwrap', '/usr/bin/tcpdump'].every(isInstalled)
    ? false
    : 'needs root and the Debian packages vpcs, bubblewrap and tcpdump'

let labs = 0

/** A project with two virtual PCs, 10.0.0.1 and 10.0.0.2, and a link between them; nothing runs yet. */
export async function createLab(server: TestServer) {
  labs += 1
  const project = await post(server, '/v2/projects', { name: `lab ${labs}` })
  const base = `/v2/projects/${project.project_id}`
  const node = (number: number) =>
    post(server, `${base}/nodes`, {
      name: `PC${number}`,
      node_type: 'vpcs',
      compute_id: 'local',
      properties: { startup_script: `ip 10.0.0.${number}/24\n` },
    })
  const nodes = [await node(1), await node(2)] as const
  const ends = nodes.map(({ node_id }) => ({ node_id, adapter_number: 0, port_number: 0 }))
  const link = await post(server, `${base}/links`, { nodes: ends })
  return { base, nodes, link, linkPath: `${base}/links/${link.link_id}` }
}

/**
 * Starts nodes, and brings their records up to date: while they rested, another server of this machine may have taken the
 * ports of their consoles, and they have others now.
 */
export async function startNodes(
  server: TestServer,
  { base, nodes }: { base: string; nodes: readonly Json[] },
): Promise<void> {
  for (const node of nodes) Object.assign(node, await post(server, `${base}/nodes/${node.node_id}/start`))
}

/** Asks with POST and gives the body of a success. */
export async function post(server: TestServer, path: string, body?: unknown): Promise<Json> {
  const answer = await server.ask(path, { method: 'POST', body })
  assert.ok(answer.status < 300, `${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

export async function put(server: TestServer, path: string, body: unknown): Promise<Json> {
  const answer = await server.ask(path, { method: 'PUT', body })
  assert.ok(answer.status < 300, `${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}
