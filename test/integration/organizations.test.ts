import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fetchPublished, syncToEnd, taskEnd } from '../support/content.ts'
import { messageIn } from '../support/error-answers.ts'
import type { Json } from '../support/json.ts'
import { createMembers, loginOf } from '../support/members.ts'
import { digestOf, ProductLab } from '../support/product-lab.ts'
import type { TestServer } from '../support/test-server.ts'

const base = '/content/api/organizations'
const armor = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----\n'

let lab: ProductLab
let server: TestServer
before(async () => {
  lab = await ProductLab.start()
  server = lab.server
  await createMembers(server)
})
after(() => lab[Symbol.asyncDispose]())

const create = (body: object, as?: string) =>
  server.ask(base, { method: 'POST', body, ...(as === undefined ? {} : { as }) })
const change = (id: number, body: object, as?: string) =>
  server.ask(`${base}/${id}`, { method: 'PUT', body, ...(as === undefined ? {} : { as }) })

/** Fills an organization: a synced repository that uses a key. */
async function fill(organization: Json, text: string): Promise<Json> {
  const key = await lab.create('/content/api/content_credentials', {
    organization_id: organization.id,
    name: 'Key',
    content_type: 'gpg_key',
    content: armor,
  })
  const product = await lab.createProduct({ organization_id: organization.id, gpg_key_id: key.id })
  const repository = await lab.createRepository(product, [text])
  assert.equal((await syncToEnd(server, repository.id)).result, 'success')
  return { key, product, repository }
}

describe('an organization', () => {
  it('is created with its Library, and shown', async () => {
    const { status, body } = await create({ organization: { name: 'A new one', description: 'Ours' } })
    assert.equal(status, 201, JSON.stringify(body))
    assert.deepEqual(
      [body.name, body.label, body.title, body.description],
      ['A new one', 'A_new_one', body.name, 'Ours'],
    )
    assert.deepEqual([body.select_all_types, body.parameters], [[], []])
    assert.equal(typeof body.library_id, 'number')
    assert.deepEqual((await server.ask(`${base}/${body.id}`)).body, body)

    const { repository } = await fill(body, 'in a new organization')
    assert.ok(repository.relative_path.startsWith('A_new_one/Library/custom/'))
    assert.deepEqual(repository.kt_environment, { id: body.library_id, name: 'Library' })
    assert.equal(body.default_content_view_id, repository.content_view.id)
    const served = await fetchPublished(server, repository, digestOf('in a new organization'))
    assert.equal(await served.text(), 'in a new organization')
  })

  it('has a label of its own, made from its name when none is given', async () => {
    const labelled = await create({ name: 'Labelled', label: 'with-a_label' })
    assert.equal(labelled.body.label, 'with-a_label')
    assert.match((await create({ name: 'Größe' })).body.label, /^[0-9a-f-]{36}$/)
    for (const [field, body] of [
      ['name', { name: 'Labelled' }],
      ['label', { name: 'Another', label: 'with-a_label' }],
      ['label', { name: 'Another', label: 'a/b' }],
      ['label', { name: 'api' }],
      ['name', { label: 'nameless' }],
    ] as const) {
      const refused = await create(body)
      messageIn(refused, base, 422)
      assert.deepEqual(Object.keys(refused.body.errors), [field])
    }
  })

  it('is changed in what is given, and keeps its label', async () => {
    const { body } = await create({ name: 'To be changed', description: 'Old' })
    const changed = await change(body.id, { organization: { name: 'Changed', label: 'x' } })
    assert.deepEqual(
      [changed.status, changed.body.name, changed.body.label, changed.body.description],
      [200, 'Changed', 'To_be_changed', 'Old'],
    )
    assert.equal((await change(body.id, { description: null })).body.description, null)
    const taken = await change(body.id, { name: 'Default Organization' })
    messageIn(taken, base, 422)
    assert.deepEqual(Object.keys(taken.body.errors), ['name'])
    const both = await Promise.all([change(body.id, { name: 'One' }), change(body.id, { description: 'Two' })])
    assert.deepEqual(
      both.map(({ status }) => status),
      [200, 200],
    )
    const { name, description } = (await server.ask(`${base}/${body.id}`)).body
    assert.deepEqual([name, description], ['One', 'Two'])
  })

  it('is deleted with its products, repositories and credentials, and their bytes are freed', async () => {
    const { body } = await create({ name: 'To be deleted' })
    const { key, product, repository } = await fill(body, 'only in this organization')
    const asked = await server.ask(`${base}/${body.id}`, { method: 'DELETE' })
    assert.deepEqual([asked.status, asked.body.label], [202, 'Actions::Katello::Organization::Destroy'])
    const task = await taskEnd(server, asked.body.id)

    assert.equal(task.result, 'success', JSON.stringify(task.humanized))
    assert.deepEqual([task.output.deleted_products, task.output.deleted_repositories], [1, 1])
    assert.ok(task.output.freed_bytes >= 'only in this organization'.length)
    for (const path of [
      `${base}/${body.id}`,
      `/content/api/products/${product.id}`,
      `/content/api/repositories/${repository.id}`,
      `/content/api/content_credentials/${key.id}`,
    ])
      messageIn(await server.ask(path), path, 404)
    const served = await fetchPublished(server, repository, digestOf('only in this organization'))
    assert.equal(served.status, 404)
    assert.equal((await create({ name: 'To be deleted' })).status, 201)
  })

  it('takes nothing new, without a failure of the server, while it is deleted', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { body } = await create({ name: `Passing ${round}` })
      const id = body.id
      const path = '/content/api/products'
      const { key } = await fill(body, `passing ${round}`)
      const answers = await Promise.all([
        server.ask(`${base}/${id}`, { method: 'DELETE' }),
        ...[1, 2, 3, 4].map((number) =>
          server.ask(path, { method: 'POST', body: { organization_id: id, name: `P${number}`, gpg_key_id: key.id } }),
        ),
        change(id, { description: 'Too late?' }),
      ])
      for (const { status, body } of answers)
        assert.ok([200, 201, 202, 404, 422].includes(status), `${status} ${JSON.stringify(body)}`)
      const task = await taskEnd(server, answers[0]?.body.id)
      assert.equal(task.result, 'success', JSON.stringify(task.humanized))
      assert.equal((await server.ask(`${base}/${id}`)).status, 404)
    }
  })

  it('is created and deleted by administrators, changed by managers, and not there for strangers', async () => {
    const expected = {
      viewer: [403, 403, 403],
      editor: [403, 403, 403],
      manager: [403, 200, 403],
      stranger: [403, 404, 404],
    }
    for (const [member, statuses] of Object.entries(expected)) {
      const as = loginOf(member as keyof typeof expected)
      const answers = [
        await create({ name: `Of ${member}` }, as),
        await change(1, { description: `By ${member}` }, as),
        await server.ask(`${base}/1`, { method: 'DELETE', as }),
      ]
      assert.deepEqual(
        answers.map(({ status }) => status),
        statuses,
        member,
      )
    }
  })
})
