import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { syncToEnd, taskEnd } from '../support/content.ts'
import type { Json } from '../support/json.ts'
import { createMembers, loginOf, type Member } from '../support/members.ts'
import { ProductLab } from '../support/product-lab.ts'
import type { TestServer } from '../support/test-server.ts'
import { form, multipart } from '../support/uploads.ts'

const base = '/content/api/repositories'

let lab: ProductLab
let server: TestServer
let product: Json
let repository: Json
before(async () => {
  lab = await ProductLab.start()
  server = lab.server
  await createMembers(server)
  product = await lab.createProduct()
  repository = await lab.createRepository(product, ['a file'])
  assert.equal((await syncToEnd(server, repository.id)).result, 'success')
})
after(() => lab[Symbol.asyncDispose]())

interface Operation {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** What it says to those who may. */
  readonly done: number
}

const upload = () => `${repository.id}/content_uploads`

/** What editors may do. */
const editing: Readonly<Record<string, () => Operation>> = {
  change: () => ({ method: 'PUT', path: `${repository.id}`, body: { description: 'x' }, done: 200 }),
  sync: () => ({ method: 'POST', path: `${repository.id}/sync`, done: 202 }),
  republish: () => ({ method: 'PUT', path: `${repository.id}/republish`, done: 202 }),
  'verify the checksums of': () => ({ method: 'POST', path: `${repository.id}/verify_checksum`, done: 202 }),
  'remove content from': () => ({
    method: 'PUT',
    path: `${repository.id}/remove_content`,
    body: { ids: [999_999] },
    // whoever may is told that there is no such unit
    done: 422,
  }),
  'upload a file into': () => ({
    method: 'POST',
    path: `${repository.id}/upload_content`,
    body: form([['content', 'bytes', 'uploaded.txt']]),
    headers: multipart,
    done: 200,
  }),
  'begin an upload into': () => ({ method: 'POST', path: upload(), body: { size: 5 }, done: 200 }),
  'send a chunk to': () => ({
    method: 'PUT',
    path: `${upload()}/0d0d0d0d-0d0d-4d0d-8d0d-0d0d0d0d0d0d`,
    body: form([
      ['offset', '0'],
      ['content', 'bytes'],
    ]),
    headers: multipart,
    done: 404,
  }),
  'import uploads into': () => ({
    method: 'PUT',
    path: `${repository.id}/import_uploads`,
    body: { uploads: [{ id: 'none', name: 'x' }] },
    done: 422,
  }),
}

async function statusFor(member: Member, { method, path, body, headers }: Operation): Promise<number> {
  const asking = { method, as: loginOf(member), ...(body === undefined ? {} : { body }), ...(headers && { headers }) }
  const answer = await server.ask(path === '' ? base : `${base}/${path}`, asking)
  if (answer.status === 202) await taskEnd(server, answer.body.id)
  return answer.status
}

describe('who may', () => {
  for (const [what, operation] of Object.entries(editing)) {
    it(`${what} a repository: editors and managers`, async () => {
      const { done } = operation()
      const found: Record<string, number> = {}
      for (const member of ['viewer', 'editor', 'manager', 'stranger'] as const)
        found[member] = await statusFor(member, operation())
      assert.deepEqual(found, { viewer: 403, editor: done, manager: done, stranger: 404 })
    })
  }

  it('delete a repository: managers', async () => {
    const doomed = await lab.createRepository(product, [])
    const found: Record<string, number> = {}
    for (const member of ['viewer', 'editor', 'stranger', 'manager'] as const)
      found[member] = await statusFor(member, { method: 'DELETE', path: String(doomed.id), done: 200 })
    assert.deepEqual(found, { viewer: 403, editor: 403, stranger: 404, manager: 200 })
  })

  it('create a repository: managers', async () => {
    const found: Record<string, number> = {}
    for (const member of ['viewer', 'editor', 'stranger', 'manager'] as const) {
      const body = { product_id: product.id, content_type: 'file', name: `By ${member}` }
      found[member] = await statusFor(member, { method: 'POST', path: '', body, done: 201 })
    }
    assert.deepEqual(found, { viewer: 403, editor: 403, stranger: 404, manager: 201 })
  })
})
