import assert from 'node:assert/strict'
import type { Json } from './json.ts'
import type { TestServer } from './test-server.ts'

export interface NewVersionRows {
  readonly major?: number
  readonly minor?: number
  readonly description?: string
  /** Where it is shown. */
  readonly environmentIds?: readonly number[]
  /** The repositories in Library that it holds as they are now. */
  readonly repositoryIds?: readonly number[]
}

/** Makes content views with versions for tests of how they are shown; versions are written straight into the database. */
export class ViewRows {
  readonly server: TestServer
  #made = 0

  constructor(server: TestServer) {
    this.server = server
  }

  async create(path: string, body: object): Promise<Json> {
    const answer = await this.server.ask(`/content/api/${path}`, { method: 'POST', body })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body
  }

  createView(more: object = {}): Promise<Json> {
    this.#made += 1
    return this.create('content_views', { organization_id: 1, name: `View ${this.#made}`, ...more })
  }

  /** An empty repository of files in a product of its own. */
  async createRepository(organizationId = 1): Promise<Json> {
    this.#made += 1
    const product = await this.create('products', { organization_id: organizationId, name: `Product ${this.#made}` })
    return this.create('repositories', { product_id: product.id, name: `Files ${this.#made}`, content_type: 'file' })
  }

  async createEnvironment(name: string, prior = 'Library'): Promise<Json> {
    return this.create('environments', { organization_id: 1, name, prior })
  }

  /** Gives the id of the new version. */
  async insertVersion(view: Json, rows: NewVersionRows = {}): Promise<number> {
    const { major = 1, minor = 0, description = null, environmentIds = [], repositoryIds = [] } = rows
    const id = await this.#insert(
      `insert into content_view_versions (view_id, major, minor, description) values ($1, $2, $3, $4) returning id`,
      [view.id, major, minor, description],
    )
    await this.query('update content_views set next_major = greatest(next_major, $2 + 1) where id = $1', [
      view.id,
      major,
    ])
    for (const environmentId of environmentIds)
      await this.query(
        `insert into content_view_environments (view_id, environment_id, version_id) values ($1, $2, $3)
         on conflict (view_id, environment_id) do update set version_id = excluded.version_id`,
        [view.id, environmentId, id],
      )
    for (const repositoryId of repositoryIds)
      await this.query(
        `insert into repositories (root_id, version_id, library_instance_id, set_id, set_version, relative_path)
         select r.root_id, $2::bigint, r.id, r.set_id, s.latest_version, 'copy/' || $2::bigint || '/' || r.id
         from repositories r join content_sets s on s.id = r.set_id where r.id = $1`,
        [repositoryId, id],
      )
    await this.#insert(
      `insert into content_view_history (version_id, action, environment_id, environment_name, username, description)
       values ($1, 'publish', null, null, 'admin', $2) returning id`,
      [id, description],
    )
    return id
  }

  async query(text: string, values: readonly unknown[] = []): Promise<Json[]> {
    return (await this.server.database.database.pool.query(text, [...values])).rows
  }

  async #insert(text: string, values: readonly unknown[]): Promise<number> {
    const [row] = await this.query(text, values)
    return Number(row.id)
  }
}
