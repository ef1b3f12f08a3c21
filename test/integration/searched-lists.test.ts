import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { contentTypes } from '../../src/content/types/index.ts'
import type { Json } from '../support/json.ts'
import { Lists } from '../support/lists.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const base = '/content/api/repositories'
const allRows = 4_294_967_296

let server: TestServer
let lists: Lists
before(async () => {
  server = await startTestServer()
  lists = new Lists(server)
  await lists.createZoo()
})
after(() => server[Symbol.asyncDispose]())

const bad: readonly (readonly [query: Readonly<Record<string, string>>, message: RegExp])[] = [
  [{ search: 'colour = red' }, /no field "colour"; the fields are/],
  [{ search: 'name =( x' }, /a value is expected/],
  [{ search: 'created_at = zoo' }, /compared with dates/],
  [{ search: `${'('.repeat(200)}a` }, /nested more than 100 deep/],
  [{ search: 'a'.repeat(10_001) }, /longer than 10000 characters/],
  [{ order: 'colour DESC' }, /no field "colour"/],
  [{ sort_by: 'colour' }, /no field "colour"/],
]

describe('a search or an order that means nothing', () => {
  for (const path of [
    base,
    '/content/api/products',
    '/content/api/organizations',
    '/content/api/environments',
    '/content/api/content_views',
    '/content/api/content_view_versions',
    '/content/api/files',
  ]) {
    for (const [query, message] of path.endsWith('/files') ? bad.filter(([query]) => !('search' in query)) : bad) {
      it(`is told in an empty answer: ${path} ${JSON.stringify(query).slice(0, 60)}`, async () => {
        const { status, body } = await lists.ask(path, query)
        const { error, sort, search, ...rest } = body
        assert.equal(status, 200)
        assert.match(error, message)
        assert.equal(search, query['search'] ?? null)
        assert.equal(typeof sort.by, 'string')
        assert.deepEqual(rest, { total: 0, subtotal: 0, selectable: 0, page: null, per_page: null, results: [] })
      })
    }
  }

  for (const path of ['/foreman_tasks/api/tasks', '/api/users']) {
    for (const [query, message] of bad) {
      it(`is 400: ${path} ${JSON.stringify(query).slice(0, 60)}`, async () => {
        const { status, body } = await lists.ask(path, query)
        assert.equal(status, 400)
        assert.deepEqual(Object.keys(body.error), ['message', 'class'])
        assert.equal(body.error.class, 'ScopedSearch::QueryNotSupported')
        assert.match(body.error.message, message)
      })
    }
  }

  it('is refused with 422 when it could not even be a text', async () => {
    assert.equal((await server.ask(`${base}?search=%00`)).status, 422)
    assert.equal((await server.ask(`${base}?search=a&search=b`)).status, 422)
  })
})

describe('other lists', () => {
  it('are searched: products', async () => {
    const products = '/content/api/products'
    assert.deepEqual(await lists.names(products, { search: 'name="Zoo Products"', per_page: allRows }), [
      'Zoo Products',
    ])
    assert.deepEqual(await lists.names(products, { search: 'beasts' }), ['Zoo Products'])
    assert.deepEqual(await lists.names('/content/api/organizations/1/products', { search: 'label = Garden' }), [
      'Garden',
    ])
    assert.deepEqual(await lists.names(products, { search: 'organization_id = 1', order: 'name desc' }), [
      'Zoo Products',
      'Garden',
    ])
    assert.deepEqual(await lists.names(products, { name: 'Garden', per_page: 1000, page: 1 }), ['Garden'])
  })

  it('are searched: organizations', async () => {
    const organizations = '/content/api/organizations'
    assert.deepEqual(await lists.names(organizations, { search: 'name = "Default Organization"' }), [
      'Default Organization',
    ])
    assert.deepEqual(await lists.names(organizations, { search: 'title="Default Organization",label=x' }), [])
  })

  it('are searched: content credentials', async () => {
    const path = '/content/api/content_credentials'
    const content = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----\n'
    for (const name of ['One Key', 'Other'])
      await lists.create(path, { organization_id: 1, name, content_type: 'gpg_key', content })
    const search = async (text: string) => lists.names(path, { organization_id: 1, search: text })
    assert.deepEqual(await search('name="One Key"'), ['One Key'])
    assert.deepEqual(await search('content_type = gpg_key'), ['One Key', 'Other'])
    assert.deepEqual(await search('content_type = cert'), [])
  })

  it('are searched: users', async () => {
    await lists.create('/api/users', { login: 'keeper', password: 'a long password' })
    assert.deepEqual(await lists.names('/api/users', { search: 'login = keeper' }), ['keeper'])
    assert.deepEqual(await lists.names('/api/users', { search: 'admin = true' }), ['admin'])
    assert.deepEqual(await lists.names('/api/users', { order: 'login desc' }), ['keeper', 'admin'])
  })

  it('are searched: tasks', async () => {
    const [bear] = (await lists.ask(base, { search: 'name = Bear' })).body.results
    const { body: task } = await server.ask(`${base}/${bear.id}/republish`, { method: 'PUT' })
    const { body: other } = await server.ask(`${base}/${bear.id}/republish`, { method: 'PUT' })
    const ids = async (search: string, more: object = {}) =>
      (await lists.ask('/foreman_tasks/api/tasks', { search, ...more })).body.results.map(({ id }: Json) => id)
    assert.deepEqual(await ids(`id = ${task.id}`), [task.id])
    assert.deepEqual(await ids('user = admin and start_at > yesterday'), [other.id, task.id])
    assert.deepEqual(await ids('action ~ bear', { order: 'start_at ASC' }), [task.id, other.id])
    assert.deepEqual(await ids('organization_id = 1 and parent_task_id = x'), [])
    assert.deepEqual(await ids('organization_id = 1 and null? parent_task_id'), [other.id, task.id])
  })
})

const unitLists = contentTypes
  .flatMap(({ unitKinds }) => unitKinds)
  .flatMap(({ list }) => (list === undefined ? [] : [`/content/api/${list.path}`]))
const contentLists = [
  base,
  '/content/api/products',
  '/content/api/organizations',
  '/content/api/environments',
  '/content/api/content_views',
  '/content/api/content_view_versions',
  ...unitLists,
]

describe('every field', () => {
  for (const path of [
    ...contentLists,
    '/content/api/content_credentials',
    '/api/users',
    '/api/http_proxies',
    '/api/settings',
    '/foreman_tasks/api/tasks',
  ]) {
    it(`of ${path} can be asked for, and the list ordered by it`, async () => {
      const ask = (query: Readonly<Record<string, string>>) => lists.ask(path, { organization_id: 1, ...query })
      const { body } = await ask({ search: 'unheard_of = 1' })
      const [, fields = ''] = /the fields are (.+)$/.exec(body.error?.message ?? body.error) ?? []
      for (const field of fields.split(', ')) {
        const [has, lacks, ordered] = await Promise.all([
          ask({ search: `has ${field}` }),
          ask({ search: `null? ${field}` }),
          ask({ order: `${field} DESC` }),
        ])
        assert.deepEqual([has.status, lacks.status], [200, 200], field)
        assert.equal(has.body.subtotal + lacks.body.subtotal, has.body.total, field)
        assert.equal(ordered.status, 200, field)
        assert.match(ordered.body.error ?? '', new RegExp(`^$|more than one ${field} `))
      }
    })
  }
})

describe('the beginning of a search', () => {
  const complete = async (path: string, search: string) =>
    (await lists.ask(`${path}/auto_complete_search`, { search })).body

  it('is completed by fields, operators and known values', async () => {
    assert.deepEqual(await complete(base, 'name = x and vend'), [
      { completed: 'name = x ', part: 'and vendor', label: 'name = x and vendor', category: '' },
    ])
    assert.deepEqual(await complete('/content/api/organizations', 'zoo a'), [
      { completed: 'zoo ', part: 'and', label: 'zoo and', category: 'Operators' },
    ])
    assert.deepEqual(
      (await complete('/content/api/products', 'redhat = ')).map(({ label }: Json) => label),
      ['redhat = true', 'redhat = false'],
    )
  })

  it('is answered with the error when it cannot go on', async () => {
    const [{ error }] = await complete(base, 'colour = ')
    assert.match(error, /no field "colour"/)
  })
})

describe('a member', () => {
  it('finds nothing of organizations of others, whatever is searched', async () => {
    await lists.create('/api/users', { login: 'stranger', password: 'a long password' })
    const as = 'stranger:a long password'
    for (const path of contentLists) {
      const { body } = await server.ask(`${path}?search=${encodeURIComponent('name ~ "" or not name = x')}`, { as })
      assert.deepEqual([body.total, body.subtotal, body.error, body.results], [0, 0, null, []], path)
    }
  })
})
