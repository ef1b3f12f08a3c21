import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Json } from '../support/json.ts'
import { Lists } from '../support/lists.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const base = '/content/api/repositories'
const allRows = 4_294_967_296

let server: TestServer
let lists: Lists
let zoo: Json
let garden: Json
before(async () => {
  server = await startTestServer()
  lists = new Lists(server)
  ;({ zoo, garden } = await lists.createZoo())
})
after(() => server[Symbol.asyncDispose]())

describe('a search for repositories', () => {
  for (const [search, found] of [
    ['name = Bear', ['Bear']],
    ['name="My Repo"', ['My Repo']],
    ['bear', ['Bear']],
    ['product = "Zoo Products"', ['Bear', 'snake']],
    ['product_name = Garden', ['My Repo']],
    ['zoo', ['Bear', 'snake']],
    ['zoo snake', ['snake']],
    ['content_type = file', ['Bear', 'My Repo', 'snake']],
    ['content_type = yum', []],
    ['file', ['Bear', 'My Repo', 'snake']],
    ['container_repository_name ~ x', []],
    ['has container_repository_name', []],
    ['null? container_repository_name and name = Bear', ['Bear']],
    ['content_label = Default_Organization_Zoo_Products_furry', ['Bear']],
    ['content_label ~ furry', ['Bear']],
    ['has content_label', ['Bear', 'My Repo', 'snake']],
    ['furry', ['Bear']],
    ['distribution_version = 8', []],
    ['distribution_arch ~ x86', []],
    ['distribution_family ~ red', []],
    ['distribution_variant = x', []],
    ['not distribution_variant = x', ['Bear', 'My Repo', 'snake']],
    ['distribution_bootable = true', []],
    ['null? distribution_bootable', ['Bear', 'My Repo', 'snake']],
    ['vendor = true', []],
    ['vendor = false', ['Bear', 'My Repo', 'snake']],
    ['redhat != true', ['Bear', 'My Repo', 'snake']],
    ['vendor', []],
    ['not redhat', ['Bear', 'My Repo', 'snake']],
    ['true', []],
    ['description ~ eats', ['Bear', 'snake']],
    ['eats', []],
    ['label = furry', ['Bear']],
    ['download_policy = on_demand', ['snake']],
    ['on_demand', []],
    ['has download_policy', ['Bear', 'snake']],
    ['content_view_id = 1', ['Bear', 'My Repo', 'snake']],
    ['content_view_id = 2', []],
    ['content_view_id=1,name=Bear', ['Bear']],
    ['url ~ one.example', ['Bear']],
    ['one.example', []],
    ['updated_at > yesterday', ['Bear', 'My Repo', 'snake']],
    ['created_at > tomorrow', []],
    ['name ^ (Bear, snake)', ['Bear', 'snake']],
    ['name!=Bear', ['My Repo', 'snake']],
    ['-bear', ['My Repo', 'snake']],
    [`description ~ "'bear'"`, ['My Repo']],
    ['', ['Bear', 'My Repo', 'snake']],
  ] as const) {
    it(`${search === '' ? 'for nothing' : search} finds ${found.join(', ') || 'none'}`, async () => {
      assert.deepEqual(await lists.names(base, { search, per_page: allRows }), found)
    })
  }

  it('finds by the ids of product and repository', async () => {
    const [bear] = (await lists.ask(base, { search: 'name = Bear' })).body.results
    assert.deepEqual(await lists.names(base, { search: `product_id = ${garden.id}` }), ['My Repo'])
    assert.deepEqual(await lists.names(base, { search: `product_id != ${garden.id}` }), ['Bear', 'snake'])
    assert.deepEqual(await lists.names(base, { search: `id = ${bear.id}` }), ['Bear'])
    assert.deepEqual(await lists.names(base, { search: String(zoo.id) }), ['Bear', 'snake'])
  })

  it('works in every scope', async () => {
    const environment = (await lists.ask(base, { search: 'name = Bear' })).body.results[0].kt_environment.id
    for (const path of [
      '/content/api/content_views/1/repositories',
      '/content/api/organizations/1/repositories',
      `/content/api/organizations/1/environments/${environment}/repositories`,
      `/content/api/products/${zoo.id}/repositories`,
      `/content/api/environments/${environment}/products/${zoo.id}/repositories`,
    ]) {
      assert.deepEqual(
        await lists
          .names(path, { search: 'name ~ e or name = x', order: 'name desc' })
          .then((all) => all.filter((name) => name !== 'My Repo')),
        ['snake', 'Bear'],
      )
    }
  })
})

describe('the order of repositories', () => {
  for (const [query, found] of [
    [{}, ['Bear', 'My Repo', 'snake']],
    [{ order: 'name DESC' }, ['snake', 'My Repo', 'Bear']],
    [{ order: 'product asc' }, ['My Repo', 'snake', 'Bear']],
    [{ order: 'download_policy ASC' }, ['My Repo', 'Bear', 'snake']],
    [{ order: 'download_policy DESC' }, ['snake', 'Bear', 'My Repo']],
    [{ order: 'id desc', sort_by: 'name' }, ['My Repo', 'snake', 'Bear']],
    [{ sort_by: 'description', sort_order: 'DESC' }, ['My Repo', 'snake', 'Bear']],
    [{ order: 'vendor' }, ['My Repo', 'snake', 'Bear']],
  ] as const) {
    it(`${JSON.stringify(query)} is ${found.join(', ')}`, async () => {
      assert.deepEqual(await lists.names(base, query), found)
    })
  }
})

describe('the wrapper of a list', () => {
  it("tells what there is, what was found and what was asked, on Katello's lists", async () => {
    const { body } = await lists.ask(base, { search: 'zoo', order: 'name DESC', page: 2, per_page: 1 })
    const { results, ...rest } = body
    assert.deepEqual(rest, {
      total: 3,
      subtotal: 2,
      selectable: 3,
      page: 2,
      per_page: 1,
      error: null,
      search: 'zoo',
      sort: { by: 'name', order: 'DESC' },
    })
    assert.deepEqual(
      results.map(({ name }: Json) => name),
      ['Bear'],
    )
    const usual = (await lists.ask(base, {})).body
    assert.deepEqual(
      [usual.page, usual.per_page, usual.search, usual.sort],
      [1, 20, null, { by: 'name', order: 'asc' }],
    )
  })

  it('counts the total within the scope', async () => {
    const { body } = await lists.ask(`/content/api/products/${zoo.id}/repositories`, { search: 'name = Bear' })
    assert.deepEqual([body.total, body.subtotal], [2, 1])
  })

  it("is without `error` on Foreman's lists, which also give all rows at once", async () => {
    const { results, ...rest } = (await lists.ask('/api/users', { search: 'login = admin', per_page: 'all' })).body
    assert.equal(results.length, 1)
    assert.deepEqual(rest, {
      total: 1,
      subtotal: 1,
      page: 1,
      per_page: 1,
      search: 'login = admin',
      sort: { by: null, order: null },
    })
  })
})
