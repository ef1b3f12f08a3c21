import type { Json } from '../../test/support/json.ts'
import { waitUntil } from '../../test/support/wait-until.ts'
import type { BenchProgram } from '../program.ts'

const patienceMs = 600_000
let made = 0

/** A repository of packages in a product of its own. */
export async function createRepository(program: BenchProgram, attributes: object): Promise<Json> {
  made += 1
  const product = await ask(program, '/content/api/products', {
    method: 'POST',
    body: { organization_id: 1, name: `Bench ${made}` },
  })
  const body = { product_id: product.id, name: 'Packages', content_type: 'yum', ...attributes }
  return ask(program, '/content/api/repositories', { method: 'POST', body })
}

/** Does something that is a task, and gives how many seconds it took from the request to its end. */
export async function timeTask(program: BenchProgram, path: string, method: 'POST' | 'PUT' = 'POST'): Promise<number> {
  const start = performance.now()
  const { id } = await ask(program, path, { method })
  const task = await waitUntil(
    `task ${id} stops`,
    async () => {
      const { state, ...rest } = await ask(program, `/foreman_tasks/api/tasks/${id}`, { method: 'GET' })
      return state === 'stopped' && rest
    },
    patienceMs,
  )
  if (task.result !== 'success') throw new Error(JSON.stringify(task.humanized))
  return (performance.now() - start) / 1000
}

async function ask({ server }: BenchProgram, path: string, asking: { method: string; body?: object }): Promise<Json> {
  const answer = await server.ask(path, asking)
  if (answer.status >= 300) throw new Error(`${asking.method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}
