import assert from 'node:assert/strict'
import type { Json } from './json.ts'
import type { TestServer } from './test-server.ts'

type Query = Readonly<Record<string, string | number>>

/** Asks lists as clients do, and makes what they list. */
export class Lists {
  readonly #server: TestServer

  constructor(server: TestServer) {
    this.#server = server
  }

  async create(path: string, body: object): Promise<Json> {
    const answer = await this.#server.ask(path, { method: 'POST', body })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body
  }

  ask(path: string, query: Query, as?: string) {
    const text = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    return this.#server.ask(`${path}?${text.join('&')}`, as === undefined ? {} : { as })
  }

  /** The names of what is found, in order. */
  async names(path: string, query: Query): Promise<string[]> {
    const { status, body } = await this.ask(path, query)
    assert.deepEqual([status, body.error ?? null], [200, null], JSON.stringify(body))
    return body.results.map((row: Json) => row.name ?? row.login)
  }

  /** Two products with three repositories. */
  async createZoo(): Promise<{ readonly zoo: Json; readonly garden: Json }> {
    const products = '/content/api/products'
    const zoo = await this.create(products, { organization_id: 1, name: 'Zoo Products', description: 'beasts' })
    const garden = await this.create(products, { organization_id: 1, name: 'Garden' })
    const add = (product: Json, more: object) =>
      this.create('/content/api/repositories', { product_id: product.id, content_type: 'file', ...more })
    await add(zoo, {
      name: 'Bear',
      label: 'furry',
      description: 'eats honey',
      url: 'http://one.example/',
      download_policy: 'immediate',
    })
    await add(zoo, { name: 'snake', download_policy: 'on_demand', description: 'eats mice' })
    await add(garden, { name: 'My Repo', description: "near the 'bear'" })
    return { zoo, garden }
  }
}
