import { post, put } from '../../test/support/lab.ts'
import type { TestServer } from '../../test/support/test-server.ts'
import { openProgram } from '../program.ts'
import { claim, note } from '../report.ts'

const half = 500

/** How fast the interface of links answers, and what many running links take of memory in all. */
export async function interfaceTimes(): Promise<void> {
  note('\nthe interface, asked over HTTP one request after the other')
  await using program = await openProgram()
  const { server } = program
  const base = `/v2/projects/${(await post(server, '/v2/projects', { name: 'bench', auto_close: false })).project_id}`
  const creating = await createLinks(server, base)
  const memory = program.memoryMegabytes()
  const more = await createLinks(server, base)
  const [link] = (await server.ask(`${base}/links`)).body
  let delay = 0
  const changing = await times(200, () => {
    delay += 1
    return put(server, `${base}/links/${link.link_id}`, { filters: { delay: [delay] } })
  })
  const listing = await times(50, () => server.ask(`${base}/links`))

  claim(`creating one of the first ${half} links, ms, p50`, middle(creating), { atMost: 8 })
  claim(`creating one of the next ${half} links, ms, p50`, middle(more), { atMost: 8 })
  claim('a changed filter is stored and in force, ms, p50', middle(changing), { atMost: 5 })
  claim(`listing ${2 * half} links, ms, p50`, middle(listing), { atMost: 20 })
  claim(`memory of all processes with ${half} running links, MB`, memory, { atMost: 400 })
}

let hubs = 0

/** Links between a cloud with UDP ports and a hub, all running at once. */
async function createLinks(server: TestServer, base: string): Promise<number[]> {
  const numbers = Array.from({ length: half }, (_, number) => number)
  const create = async (node_type: string, ports_mapping: readonly object[]) =>
    (
      await post(server, `${base}/nodes`, {
        name: node_type,
        node_type,
        compute_id: 'local',
        properties: { ports_mapping },
      })
    ).node_id
  const first = 20_000 + 2 * half * hubs
  hubs += 1
  const udp = (number: number) => ({ lport: first + 2 * number, rhost: '127.0.0.1', rport: first + 2 * number + 1 })
  const cloud = await create(
    'cloud',
    numbers.map((port_number) => ({ name: `u${port_number}`, port_number, type: 'udp', ...udp(port_number) })),
  )
  const hub = await create(
    'ethernet_hub',
    numbers.map((port_number) => ({ name: `e${port_number}`, port_number })),
  )
  let number = 0
  return times(half, async () => {
    const nodes = [cloud, hub].map((node_id) => ({ node_id, adapter_number: 0, port_number: number }))
    number += 1
    await post(server, `${base}/links`, { nodes })
  })
}

async function times(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const taken: number[] = []
  for (let round = 0; round < count; round += 1) {
    const start = performance.now()
    await work()
    taken.push(performance.now() - start)
  }
  return taken
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
