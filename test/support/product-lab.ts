import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Json } from './json.ts'
import { startTestServer, type TestServer } from './test-server.ts'
import { startUpstream, type UpstreamServer } from './upstream-server.ts'
import { waitUntil } from './wait-until.ts'

export const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** A server with an upstream that has files which are called by their digests. */
export class ProductLab implements AsyncDisposable {
  readonly server: TestServer
  readonly #upstream: UpstreamServer
  /** What the upstream has in each folder. */
  readonly #folders: Map<string, readonly string[]>
  /** Files that begin with "slow" are only given when they are released. */
  readonly #held: (() => void)[]
  #made = 0

  private constructor(server: TestServer, upstream: UpstreamServer, shared: Shared) {
    this.server = server
    this.#upstream = upstream
    this.#folders = shared.folders
    this.#held = shared.held
  }

  static async start(): Promise<ProductLab> {
    const shared: Shared = { folders: new Map(), held: [] }
    const upstream = await startUpstream((request, response) => answer(shared, request.url ?? '', response))
    return new ProductLab(await startTestServer(), upstream, shared)
  }

  async create(path: string, body: object): Promise<Json> {
    const answered = await this.server.ask(path, { method: 'POST', body })
    assert.equal(answered.status, 201, JSON.stringify(answered.body))
    return answered.body
  }

  createProduct(more: object = {}): Promise<Json> {
    this.#made += 1
    return this.create('/content/api/products', { organization_id: 1, name: `Product ${this.#made}`, ...more })
  }

  /** A repository whose upstream has files with these texts; with no texts there is no such upstream. */
  createRepository(product: Json, texts: readonly string[] | undefined): Promise<Json> {
    this.#made += 1
    const name = `files${this.#made}`
    if (texts !== undefined) this.#folders.set(name, texts)
    const url = `${this.#upstream.url}/${name}/`
    return this.create('/content/api/repositories', { product_id: product.id, content_type: 'file', name, url })
  }

  /** Starts a sync, and gives its task when the upstream holds a slow file back. */
  async startSlowSync(repository: Json): Promise<Json> {
    const held = this.#held.length
    const path = `/content/api/repositories/${repository.id}/sync`
    const { body } = await this.server.ask(path, { method: 'POST' })
    await waitUntil('a slow file is asked for', () => this.#held.length > held)
    return body
  }

  release(): void {
    for (const give of this.#held.splice(0)) give()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release()
    await this.server[Symbol.asyncDispose]()
    await this.#upstream[Symbol.asyncDispose]()
  }
}

interface Shared {
  readonly folders: Map<string, readonly string[]>
  readonly held: (() => void)[]
}

function answer({ folders, held }: Shared, url: string, response: ServerResponse): void {
  const [, folder = '', file = ''] = url.split('/')
  const texts = folders.get(folder)
  const lines = texts?.map((text) => `${digestOf(text)},${digestOf(text)},${text.length}\n`).join('')
  const text = file === 'PULP_MANIFEST' ? lines : texts?.find((each) => digestOf(each) === file)
  if (text === undefined) response.writeHead(404).end()
  else if (text.startsWith('slow')) held.push(() => response.end(text))
  else response.end(text)
}
