import type { Json } from '../../test/support/json.ts'
import { waitUntil } from '../../test/support/wait-until.ts'
import type { BenchProgram } from '../program.ts'

const patienceMs = 600_000
let made = 0

/** A repository of packages in a product of its own. */
export async function createRepository(program: BenchProgram, attributes: object): Promise<Json> {
  made += 1
  const product = await post(program, '/content/api/products', { organization_id: 1, name: `Bench ${made}` })
  const wanted = { product_id: product.id, name: 'Packages', content_type: 'yum', ...attributes }
  return post(program, '/content/api/repositories', wanted)
}

/** Does something that is a task, and gives how many seconds it took from the request to its end. */
export async function timeTask(program: BenchProgram, path: string, body?: object): Promise<number> {
  const start = performance.now()
  const { id } = await post(program, path, body)
  const task = await waitUntil(
    `task ${id} stops`,
    async () => {
      const { body } = await program.server.ask(`/foreman_tasks/api/tasks/${id}`)
      return body.state === 'stopped' && body
    },
    patienceMs,
  )
  if (task.result !== 'success') throw new Error(JSON.stringify(task.humanized))
  return (performance.now() - start) / 1000
}

async function post({ server }: BenchProgram, path: string, body: object = {}): Promise<Json> {
  const answer = await server.ask(path, { method: 'POST', body })
  if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}
