import assert from 'node:assert/strict'
import { fetchPublished, taskEnd } from './content.ts'
import type { Json } from './json.ts'
import { type ReachableServer, startTestServer, type TestServer } from './test-server.ts'
import { form, multipart } from './uploads.ts'

const base = '/content/api'

/** A server with environments, repositories of files and content views, for what is published from them. */
export class ViewLab<Server extends ReachableServer = TestServer> implements AsyncDisposable {
  readonly server: Server
  #names = 0

  constructor(server: Server) {
    this.server = server
  }

  static async start(): Promise<ViewLab> {
    return new ViewLab(await startTestServer())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (this.server as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.()
  }

  async create(path: string, body: object): Promise<Json> {
    const answer = await this.server.ask(`${base}/${path}`, { method: 'POST', body })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body
  }

  async show(path: string): Promise<Json> {
    const answer = await this.server.ask(`${base}/${path}`)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }

  /** A file repository, published with these files: name → text. */
  async createRepository(files: Readonly<Record<string, string>> = {}, more: object = {}): Promise<Json> {
    this.#names += 1
    const product = await this.create('products', { organization_id: 1, name: `Product of view ${this.#names}` })
    const attributes = { product_id: product.id, name: `Files ${this.#names}`, content_type: 'file', ...more }
    const repository = await this.create('repositories', attributes)
    if (Object.keys(files).length > 0) await this.upload(repository, files)
    return repository
  }

  async upload(repository: Json, files: Readonly<Record<string, string>>): Promise<void> {
    const parts = Object.entries(files).map(([name, text]) => ['content[]', text, name] as const)
    const path = `${base}/repositories/${repository.id}/upload_content`
    const answer = await this.server.ask(path, { method: 'POST', body: form(parts), headers: multipart })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }

  /** Takes out whatever file has one of these names. */
  async remove(repository: Json, ...names: readonly string[]): Promise<void> {
    const { results } = await this.show(`files?repository_id=${repository.id}&full_result=true`)
    const ids = results.filter(({ name }: Json) => names.includes(name)).map(({ id }: Json) => id)
    const path = `${base}/repositories/${repository.id}/remove_content`
    const answer = await this.server.ask(path, { method: 'PUT', body: { ids } })
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
  }

  async createEnvironment(name: string, priorId = 1): Promise<Json> {
    return this.create('organizations/1/environments', { name, prior_id: priorId })
  }

  async createView(attributes: { readonly repositories?: readonly Json[]; readonly [name: string]: unknown } = {}) {
    this.#names += 1
    const { repositories = [], ...others } = attributes
    const repository_ids = repositories.map(({ id }) => id)
    const own = attributes['composite'] === true ? {} : { repository_ids }
    return this.create('organizations/1/content_views', { name: `View ${this.#names}`, ...own, ...others })
  }

  /** Asks for a task, waits for its end, and gives it when it has the result that is expected. */
  async work(method: string, path: string, body?: object, result = 'success'): Promise<Json> {
    const answer = await this.server.ask(`${base}/${path}`, { method, ...(body === undefined ? {} : { body }) })
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    const task = await taskEnd(this.server, answer.body.id)
    assert.equal(task.result, result, JSON.stringify(task.humanized))
    return task
  }

  /** Publishes a view and gives the id of the new version. */
  async publish(view: Json, body: object = {}): Promise<number> {
    const task = await this.work('POST', `content_views/${view.id}/publish`, body)
    return task.output.content_view_version_id
  }

  async promote(versionId: number, environments: readonly Json[], more: object = {}): Promise<Json> {
    const environment_ids = environments.map(({ id }) => id)
    return this.work('POST', `content_view_versions/${versionId}/promote`, { environment_ids, ...more })
  }

  /** The repositories that a list gives, the newest last. */
  async list(query: Readonly<Record<string, unknown>>): Promise<Json[]> {
    const parameters = new URLSearchParams({ full_result: 'true', order: 'id asc' })
    for (const [name, value] of Object.entries(query)) parameters.set(name, String(value))
    return (await this.show(`repositories?${parameters}`)).results
  }

  /** All that clients are served of a repository: name → text. */
  async served(repository: Json): Promise<Record<string, string> | number> {
    const manifest = await fetchPublished(this.server, repository, 'PULP_MANIFEST')
    if (manifest.status !== 200) return manifest.status
    const list = await manifest.text()
    const names = list.split('\n').flatMap((line) => (line === '' ? [] : [line.split(',')[0] as string]))
    const files: Record<string, string> = { PULP_MANIFEST: list }
    for (const name of names) files[name] = await (await fetchPublished(this.server, repository, name)).text()
    return files
  }
}
