import assert from 'node:assert/strict'
import type { Json } from './json.ts'
import type { ReachableServer } from './test-server.ts'
import { waitUntil } from './wait-until.ts'

let products = 0

/** A file repository in a product of its own in the first organization. */
export async function createFileRepository(
  server: ReachableServer,
  url: string,
  attributes: Readonly<Record<string, unknown>> = {},
): Promise<Json> {
  products += 1
  const product = await server.ask('/content/api/products', {
    method: 'POST',
    body: { organization_id: 1, name: `Product ${products}` },
  })
  assert.equal(product.status, 201, JSON.stringify(product.body))
  const body = { product_id: product.body.id, name: 'Files', content_type: 'file', url, ...attributes }
  const repository = await server.ask('/content/api/repositories', { method: 'POST', body })
  assert.equal(repository.status, 201, JSON.stringify(repository.body))
  return repository.body
}

/** Syncs and gives the task when it has stopped. */
export async function syncToEnd(server: ReachableServer, repositoryId: number): Promise<Json> {
  const started = await server.ask(`/content/api/repositories/${repositoryId}/sync`, { method: 'POST' })
  assert.equal(started.status, 202, JSON.stringify(started.body))
  return taskEnd(server, started.body.id)
}

export async function taskEnd(server: ReachableServer, id: string): Promise<Json> {
  return waitUntil(
    `task ${id} stops`,
    async () => {
      const { body } = await server.ask(`/foreman_tasks/api/tasks/${id}`)
      return body.state === 'stopped' && body
    },
    60_000,
  )
}

/** Fetches a path of a published repository as a client without login. */
export async function fetchPublished(
  server: ReachableServer,
  repository: Json,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`${server.content}/content/${repository.relative_path}/${path}`, init)
}
