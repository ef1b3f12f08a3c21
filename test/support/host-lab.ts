import { post } from './lab.ts'
import { lacksProgram, lacksRoot } from './programs.ts'
import type { TestServer } from './test-server.ts'

/** The reason to skip tests with hosts; false when they can run. */
export const lacksHosts = lacksRoot || lacksProgram('bwrap', 'ip', 'nsenter', 'unshare', 'setpriv', 'script', 'bash')

export interface HostLab {
  readonly base: string
  readonly nodes: readonly [string, string]
  readonly linkPath: string
}

let labs = 0

/** A project with two running hosts, 10.0.0.1 and 10.0.0.2, and a link between them. */
export async function startHostLab(server: TestServer, properties: object = {}): Promise<HostLab> {
  labs += 1
  const project = await post(server, '/v2/projects', { name: `host lab ${labs}`, auto_close: false })
  const base = `/v2/projects/${project.project_id}`
  const create = async (number: number) => {
    const interfaces = [{ name: 'eth0', addresses: [`10.0.0.${number}/24`, `fd00::${number}/64`] }]
    const node = {
      name: `H${number}`,
      node_type: 'host',
      compute_id: 'local',
      properties: { interfaces, ...properties },
    }
    return (await post(server, `${base}/nodes`, node)).node_id as string
  }
  const nodes = [await create(1), await create(2)] as const
  const ends = nodes.map((node_id) => ({ node_id, adapter_number: 0, port_number: 0 }))
  const link = await post(server, `${base}/links`, { nodes: ends })
  await post(server, `${base}/nodes/start`)
  return { base, nodes, linkPath: `${base}/links/${link.link_id}` }
}

export interface Ran {
  readonly exit_code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly timed_out: boolean
}

export async function exec(
  server: TestServer,
  { base, nodes }: HostLab,
  { host, ...request }: { host: 0 | 1; command: string | readonly string[]; timeout_ms?: number; input?: string },
): Promise<Ran> {
  return post(server, `${base}/nodes/${nodes[host]}/exec`, request)
}
