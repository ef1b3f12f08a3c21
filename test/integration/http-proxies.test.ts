import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createFileRepository, taskEnd } from '../support/content.ts'
import { messageIn } from '../support/error-answers.ts'
import type { Json } from '../support/json.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const proxies = '/api/http_proxies'
const repositories = '/content/api/repositories'
const setting = '/api/settings/content_default_http_proxy'
const url = 'http://proxy.example:3128'
const member = 'member:a long password'
const stranger = 'stranger:a long password'

let server: TestServer
let otherOrganization: number
before(async () => {
  server = await startTestServer()
  otherOrganization = (await create('/content/api/organizations', { name: 'Other' })).id
  for (const as of [member, stranger]) {
    const [login, password] = as.split(':')
    const { id } = await create('/api/users', { login, password })
    if (as === member) await put(`/content/api/organizations/1/members/${id}`, { role: 'manager' })
  }
})
after(() => server[Symbol.asyncDispose]())

async function create(path: string, body: object): Promise<Json> {
  const answer = await server.ask(path, { method: 'POST', body })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

let made = 0
function proxy(attributes: object = {}): Promise<Json> {
  made += 1
  return create(proxies, { http_proxy: { name: `Proxy ${made}`, url, ...attributes } })
}

const put = (path: string, body: object, as?: string) =>
  server.ask(path, { method: 'PUT', body, ...(as === undefined ? {} : { as }) })
const remove = (path: string) => server.ask(path, { method: 'DELETE' })
const get = (path: string, as?: string) => server.ask(path, as === undefined ? {} : { as })

describe('an HTTP proxy', () => {
  it('is created, shown, changed and deleted, and never tells its password', async () => {
    const created = await create(proxies, {
      http_proxy: {
        name: 'Office',
        url,
        username: 'ann',
        password: 'a secret',
        organization_ids: [1],
        location_ids: [2],
      },
    })

    const { id, created_at, updated_at, ...shown } = created
    assert.match(created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
    assert.equal(typeof updated_at, 'string')
    const organization = {
      id: 1,
      name: 'Default Organization',
      title: 'Default Organization',
      label: 'Default_Organization',
    }
    assert.deepEqual(shown, { name: 'Office', url, username: 'ann', locations: [], organizations: [organization] })
    assert.deepEqual((await get(`${proxies}/${id}`)).body, created)

    const changed = await put(`${proxies}/${id}`, { name: 'Office 2', organization_ids: [], location_ids: null })
    assert.equal(changed.status, 200)
    assert.deepEqual([changed.body.name, changed.body.username, changed.body.organizations], ['Office 2', 'ann', []])
    const cleared = await put(`${proxies}/${id}`, { http_proxy: { username: '', password: '', url: `${url}/` } })
    assert.deepEqual([cleared.body.username, cleared.body.url], [null, `${url}/`])

    const deleted = await remove(`${proxies}/${id}`)
    assert.deepEqual([deleted.status, deleted.body.id], [200, id])
    messageIn(await get(`${proxies}/${id}`), proxies, 404)
    messageIn(await put(`${proxies}/${id}`, { name: 'x' }), proxies, 404)
    messageIn(await remove(`${proxies}/${id}`), proxies, 404)
    for (const body of [created, changed.body, cleared.body])
      assert.doesNotMatch(JSON.stringify(body), /password|secret/)
  })

  it('is found by its name, as clients look it up', async () => {
    const { name, id } = await proxy({ name: 'Looked up', organization_ids: null })
    await proxy()

    const { body } = await get(`${proxies}?search=${encodeURIComponent(`name="${name}"`)}&per_page=4294967296`)

    assert.deepEqual(Object.keys(body), ['total', 'subtotal', 'page', 'per_page', 'search', 'sort', 'results'])
    assert.deepEqual([body.subtotal, body.per_page, body.sort], [1, 4_294_967_296, { by: null, order: null }])
    assert.deepEqual([body.results.length, body.results[0].id], [1, id])
    const ordered = await get(`${proxies}?order=${encodeURIComponent('id DESC')}`)
    const ids = ordered.body.results.map((each: Json) => each.id)
    assert.deepEqual(
      ids,
      ids.toSorted((a: number, b: number) => b - a),
    )
    const { status, body: wrong } = await get(`${proxies}?search=colour%3D1`)
    assert.deepEqual([status, wrong.error.class], [400, 'ScopedSearch::QueryNotSupported'])
  })

  const refused: readonly (readonly [string, object])[] = [
    ['url', { url: 'ftp://proxy.example' }],
    ['url', { url: 'proxy.example:3128' }],
    ['url', { url: 'http://' }],
    ['url', { url: 'http:///x' }],
    ['url', { url: 'http://ann:word@proxy.example' }],
    ['url', { url: 'http://proxy.example with blanks' }],
    ['url', { url: null }],
    ['name', { name: '' }],
    ['name', { name: 'Taken' }],
    ['username', { password: 'without a user' }],
    ['username', { username: 'a:b', password: 'x' }],
    ['organization_ids', { organization_ids: [999_999] }],
    ['organization_ids', { organization_ids: 'x' }],
  ]
  for (const [field, attributes] of refused) {
    it(`refuses ${JSON.stringify(attributes)} and names ${field}`, async () => {
      await server.ask(proxies, { method: 'POST', body: { name: 'Taken', url } })
      const answer = await server.ask(proxies, { method: 'POST', body: { name: 'Odd', url, ...attributes } })

      messageIn(answer, proxies, 422)
      assert.deepEqual(Object.keys(answer.body.errors), [field])
      const { id } = await proxy()
      messageIn(await put(`${proxies}/${id}`, attributes), proxies, 422)
    })
  }

  it('is seen by members of its organizations, by all when it has none, and changed by administrators', async () => {
    const all = await proxy()
    const ours = await proxy({ organization_ids: [1, otherOrganization] })
    const theirs = await proxy({ organization_ids: [otherOrganization] })
    const seen = async (as: string) => {
      const { results } = (await get(`${proxies}?per_page=all`, as)).body
      return [all, ours, theirs].filter(({ id }) => results.some((each: Json) => each.id === id)).map(({ id }) => id)
    }

    assert.deepEqual(await seen(member), [all.id, ours.id])
    assert.deepEqual(await seen(stranger), [all.id])
    const shown = (await get(`${proxies}/${ours.id}`, member)).body
    assert.deepEqual(
      shown.organizations.map(({ id }: Json) => id),
      [1],
    )
    for (const [as, { id }, status] of [
      [member, ours, 403],
      [member, theirs, 404],
      [stranger, all, 403],
      [stranger, ours, 404],
    ] as const) {
      assert.equal((await put(`${proxies}/${id}`, { name: 'Mine' }, as)).status, status)
      assert.equal((await server.ask(`${proxies}/${id}`, { method: 'DELETE', as })).status, status)
      assert.equal((await get(`${proxies}/${id}`, as)).status, status === 403 ? 200 : 404)
    }
    assert.equal((await server.ask(proxies, { method: 'POST', body: { name: 'Mine', url }, as: member })).status, 403)
    assert.equal((await server.ask(proxies, { as: null })).status, 401)
    const usable = await get(`${proxies}?organization_id=1&per_page=all`)
    assert.ok(!usable.body.results.some(({ id }: Json) => id === theirs.id))
  })

  it('whose organizations are all deleted is handed to nobody', async () => {
    const { id: organization } = await create('/content/api/organizations', { name: 'Short-lived' })
    const { id } = await proxy({ organization_ids: [organization] })
    const task = await remove(`/content/api/organizations/${organization}`)
    assert.equal((await taskEnd(server, task.body.id)).result, 'success')

    assert.deepEqual((await get(`${proxies}/${id}`)).body.organizations, [])
    assert.equal((await get(`${proxies}/${id}`, stranger)).status, 404)
  })
})

describe('a repository', () => {
  const selected = { http_proxy_policy: 'use_selected_http_proxy' }

  it('names a proxy, which cannot be deleted until then, and shows it', async () => {
    const { id, name } = await proxy({ organization_ids: [1] })
    const repository = await createFileRepository(server, 'http://one.example/', { ...selected, http_proxy_id: id })

    const { http_proxy, http_proxy_id, http_proxy_name, http_proxy_policy } = repository
    assert.deepEqual([http_proxy_id, http_proxy_name, http_proxy_policy], [id, name, selected.http_proxy_policy])
    assert.deepEqual(http_proxy, { id, name, policy: selected.http_proxy_policy })
    assert.match(messageIn(await remove(`${proxies}/${id}`), proxies, 409), /repository "Files"/)
    const taken = await put(`${proxies}/${id}`, { organization_ids: [otherOrganization] })
    assert.match(messageIn(taken, proxies, 409), /repository "Files"/)
    assert.equal((await get(`${proxies}/${id}`)).body.organizations[0].id, 1)

    const without = await put(`${repositories}/${repository.id}`, { http_proxy_policy: 'none' })
    assert.deepEqual(without.body.http_proxy, { id: null, name: null, policy: 'none' })
    assert.deepEqual([without.body.http_proxy_id, without.body.http_proxy_name], [id, name])
    assert.equal((await remove(`${proxies}/${id}`)).status, 409)
    await put(`${repositories}/${repository.id}`, { http_proxy_id: null })
    assert.equal((await remove(`${proxies}/${id}`)).status, 200)
  })

  it('refuses one that is not there or not for its organization, and to select none', async () => {
    const { id: elsewhere } = await proxy({ organization_ids: [otherOrganization] })
    const repository = await createFileRepository(server, 'http://one.example/')
    for (const attributes of [{ http_proxy_id: elsewhere }, { http_proxy_id: 999_999 }, selected]) {
      const updated = await put(`${repositories}/${repository.id}`, attributes)
      const body = { product_id: repository.product.id, name: 'More', content_type: 'file', ...attributes }
      const created = await server.ask(repositories, { method: 'POST', body })
      for (const answer of [updated, created]) {
        messageIn(answer, repositories, 422)
        assert.deepEqual(Object.keys(answer.body.errors), ['http_proxy_id'])
      }
    }
  })

  it('and a proxy that is deleted at the same time: one of them wins', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await proxy()
      const repository = await createFileRepository(server, 'http://one.example/')
      const [named, deleted] = await Promise.all([
        put(`${repositories}/${repository.id}`, { http_proxy_id: id }),
        remove(`${proxies}/${id}`),
      ])

      assert.deepEqual([named.status, deleted.status].sort(), named.status === 200 ? [200, 409] : [200, 422])
    }
  })
})

describe('the default proxy', () => {
  it('is a setting that takes a name, an id or nothing', async () => {
    const { id, name } = await proxy()
    const repository = await createFileRepository(server, 'http://one.example/')
    const shownBy = async () => (await get(`${repositories}/${repository.id}`)).body.http_proxy

    for (const value of [name, id, String(id)]) {
      assert.equal((await put(setting, { setting: { value: '' } })).body.value, '')
      assert.deepEqual(await shownBy(), { id: null, name: null, policy: 'global_default_http_proxy' })
      const set = await put(setting, { setting: { value } })
      assert.deepEqual([set.status, set.body.name, set.body.value], [200, 'content_default_http_proxy', name])
      assert.deepEqual(await shownBy(), { id, name, policy: 'global_default_http_proxy' })
    }
    const found = await get(`/api/settings?search=${encodeURIComponent('name = "content_default_http_proxy"')}`)
    assert.deepEqual(
      found.body.results.map((each: Json) => [each.id, each.name, each.value]),
      [['content_default_http_proxy', 'content_default_http_proxy', name]],
    )
    assert.deepEqual((await get('/api/settings?search=name%3Dother')).body.results, [])
    assert.match(messageIn(await remove(`${proxies}/${id}`), proxies, 409), /default/)
    assert.equal((await put(setting, { setting: { value: null } })).body.value, '')
    assert.equal((await remove(`${proxies}/${id}`)).status, 200)
  })

  it('is for administrators, and no other setting is there', async () => {
    for (const path of ['/api/settings', setting]) assert.equal((await get(path, member)).status, 403)
    assert.equal((await put(setting, { setting: { value: '' } }, member)).status, 403)
    messageIn(await get('/api/settings/entries_per_page'), '/api', 404)
    messageIn(await put('/api/settings/entries_per_page', { setting: { value: '' } }), '/api', 404)
    for (const value of ['No such proxy', 999_999, true, {}])
      messageIn(await put(setting, { setting: { value } }), '/api', 422)
    messageIn(await put(setting, {}), '/api', 422)
  })

  it('is what the environment names until another is set', async () => {
    await using named = await startTestServer({ BACKHAUL_HTTP_PROXY_ID: '1' })
    const { body } = await named.ask(proxies, { method: 'POST', body: { name: 'First', url } })

    assert.equal(body.id, 1)
    assert.equal((await named.ask(setting)).body.value, 'First')
    assert.equal((await named.ask(`${proxies}/1`, { method: 'DELETE' })).status, 409)
    await named.ask(setting, { method: 'PUT', body: { setting: { value: '' } } })
    assert.equal((await named.ask(setting)).body.value, '')
    assert.equal((await named.ask(`${proxies}/1`, { method: 'DELETE' })).status, 200)
  })
})
