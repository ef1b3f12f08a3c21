import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { messageIn } from '../support/error-answers.ts'
import type { Json } from '../support/json.ts'
import { createMembers, loginOf, type Member } from '../support/members.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const base = '/content/api/environments'
const ofFirst = '/content/api/organizations/1/environments'

let server: TestServer
let library: Json
before(async () => {
  server = await startTestServer()
  await createMembers(server)
  library = (await server.ask(`${ofFirst}?search=name="Library"`)).body.results[0]
})
after(() => server[Symbol.asyncDispose]())

async function create(path: string, body: object): Promise<Json> {
  const answer = await server.ask(path, { method: 'POST', body })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

const createEnvironment = (name: string, prior: Json = library, more: object = {}) =>
  create(base, { organization_id: 1, name, prior_id: prior.id, ...more })

const put = (id: number, body: object) => server.ask(`${base}/${id}`, { method: 'PUT', body })

/** Shows an empty content view in an environment. */
async function showView(environment: Json, name: string): Promise<void> {
  await server.database.database.pool.query(
    `with made as (insert into content_views (organization_id, name, label) values (1, $1, $1) returning id),
      version as (insert into content_view_versions (view_id, major, minor) select id, 1, 0 from made returning id, view_id)
     insert into content_view_environments (view_id, environment_id, version_id) select view_id, $2, id from version`,
    [name, environment.id],
  )
}

describe('an environment', () => {
  it('follows another one, and is shown with its neighbours', async () => {
    const test = await create(ofFirst, { name: 'Test stage', description: 'Before all others', prior_id: library.id })
    const live = await create(base, { organization_id: 1, name: 'Live', label: 'live-1', prior: 'Test stage' })
    const { body } = await server.ask(`${base}/${test.id}`)
    assert.deepEqual(
      [body.name, body.label, body.description, body.library],
      ['Test stage', 'Test_stage', 'Before all others', false],
    )
    assert.deepEqual(body.prior, { id: library.id, name: 'Library' })
    assert.deepEqual(body.successor, { id: live.id, name: 'Live' })
    assert.deepEqual(body.organization, { name: 'Default Organization', label: 'Default_Organization', id: 1 })
    assert.deepEqual([body.organization_id, body.registry_name_pattern], [1, null])
    assert.deepEqual([body.counts.content_views, body.counts.content_hosts, body.counts.products], [0, 0, 0])
    assert.match(body.created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
    assert.deepEqual([live.label, live.prior.name, live.successor], ['live-1', 'Test stage', null])
    assert.deepEqual([library.library, library.prior, library.counts.content_views], [true, null, 1])
    assert.deepEqual((await server.ask(`${ofFirst}/${test.id}`)).body, body)
  })

  it('says what it shows', async () => {
    const stage = await createEnvironment('Counting')
    await showView(stage, 'Counted')
    const product = await create('/content/api/products', { organization_id: 1, name: 'Counted' })
    for (const name of ['a', 'b'])
      await create('/content/api/repositories', { product_id: product.id, name, content_type: 'file' })
    const shown = async (id: number) => (await server.ask(`${base}/${id}`)).body.counts
    assert.equal((await shown(stage.id)).content_views, 1)
    const { products, file_repositories } = await shown(library.id)
    assert.deepEqual([products, file_repositories], [1, 2])
  })

  it('is changed in what is given, and keeps its label', async () => {
    const stage = await createEnvironment('Old name', library, { description: 'Old' })
    const renamed = await put(stage.id, { environment: { new_name: 'New name', label: 'other' } })
    assert.deepEqual(
      [renamed.status, renamed.body.name, renamed.body.label, renamed.body.description],
      [200, 'New name', 'Old_name', 'Old'],
    )
    const nested = await server.ask(`${ofFirst}/${stage.id}`, { method: 'PUT', body: { description: null } })
    assert.deepEqual([nested.status, nested.body.name, nested.body.description], [200, 'New name', null])
    assert.equal((await put(stage.id, { name: 'Third name' })).body.name, 'Third name')
    const taken = await put(stage.id, { name: 'Library' })
    messageIn(taken, base, 422)
    assert.deepEqual(Object.keys(taken.body.errors), ['name'])
    for (const body of [{ name: '' }, { new_name: ' x' }, { name: 7 }, { description: 7 }])
      messageIn(await put(stage.id, body), base, 422)
  })

  it('keeps all of many changes that are made at once', async () => {
    const stage = await createEnvironment('Busy')
    const answers = await Promise.all(
      [{ name: 'Busier' }, { description: 'At once' }, { description: 'At once' }].map((body) => put(stage.id, body)),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    const { body } = await server.ask(`${base}/${stage.id}`)
    assert.deepEqual([body.name, body.description], ['Busier', 'At once'])
  })

  it('is refused when it follows nothing of its organization, or is called as another one', async () => {
    const other = await create('/content/api/organizations', { name: 'Elsewhere' })
    const foreign = await create(base, { organization_id: other.id, name: 'Far', prior: 'Library' })
    await createEnvironment('Taken')
    const cases: readonly (readonly [body: object, field: string])[] = [
      [{ name: 'x' }, 'prior_id'],
      [{ name: 'x', prior_id: null, prior: null }, 'prior_id'],
      [{ name: 'x', prior_id: foreign.id }, 'prior_id'],
      [{ name: 'x', prior_id: 999_999 }, 'prior_id'],
      [{ name: 'x', prior_id: 'zoo' }, 'prior_id'],
      [{ name: 'x', prior: 'Far' }, 'prior_id'],
      [{ prior_id: library.id }, 'name'],
      [{ name: 'Taken', label: 'free', prior_id: library.id }, 'name'],
      [{ name: 'Free', label: 'Taken', prior_id: library.id }, 'label'],
      [{ name: 'Free', label: 'Library', prior_id: library.id }, 'label'],
      [{ name: 'Free', label: 'content_views', prior_id: library.id }, 'label'],
      [{ name: 'content views', prior_id: library.id }, 'label'],
      [{ name: 'Free', label: 'not a label', prior_id: library.id }, 'label'],
    ]
    for (const [body, field] of cases) {
      const answer = await server.ask(ofFirst, { method: 'POST', body })
      messageIn(answer, base, 422)
      assert.deepEqual(Object.keys(answer.body.errors), [field], JSON.stringify(body))
    }
    messageIn(await server.ask(base, { method: 'POST', body: { name: 'x', prior_id: library.id } }), base, 422)
    messageIn(
      await server.ask(base, { method: 'POST', body: { organization_id: 999_999, name: 'x', prior_id: 1 } }),
      base,
      404,
    )
    for (const method of ['GET', 'PUT', 'DELETE'])
      messageIn(await server.ask(`${ofFirst}/${foreign.id}`, { method }), base, 404)
  })

  it('is deleted when nothing follows it and it shows no content view', async () => {
    const stage = await createEnvironment('Leaving')
    const next = await createEnvironment('Follower', stage)
    await showView(next, 'Shown')
    assert.match(messageIn(await server.ask(`${base}/${stage.id}`, { method: 'DELETE' }), base, 409), /"Follower"/)
    assert.match(messageIn(await server.ask(`${base}/${next.id}`, { method: 'DELETE' }), base, 409), /"Shown"/)
    await server.database.database.pool.query('delete from content_view_environments where environment_id = $1', [
      next.id,
    ])
    const deleted = await server.ask(`${ofFirst}/${next.id}`, { method: 'DELETE' })
    assert.deepEqual([deleted.status, deleted.body], [200, {}])
    assert.equal((await server.ask(`${base}/${stage.id}`, { method: 'DELETE' })).status, 200)
    messageIn(await server.ask(`${base}/${stage.id}`), base, 404)
  })

  it('is either followed or deleted, when both are asked for at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const stage = await createEnvironment(`Race ${round}`)
      const body = { organization_id: 1, name: `Racer ${round}`, prior_id: stage.id }
      const [deleted, created] = await Promise.all([
        server.ask(`${base}/${stage.id}`, { method: 'DELETE' }),
        server.ask(base, { method: 'POST', body }),
      ])
      assert.ok(
        ['200 422', '409 201'].includes(`${deleted.status} ${created.status}`),
        `${deleted.status} ${created.status} ${JSON.stringify(created.body)}`,
      )
    }
  })
})

describe('Library', () => {
  it('is neither renamed nor deleted, and may be described', async () => {
    messageIn(await put(library.id, { new_name: 'Other' }), base, 422)
    messageIn(await server.ask(`${base}/${library.id}`, { method: 'DELETE' }), base, 422)
    const described = await put(library.id, { name: 'Library', description: 'All that there is' })
    assert.deepEqual([described.status, described.body.description], [200, 'All that there is'])
  })
})

describe('environments', () => {
  it('make paths from Library to each one that no other follows', async () => {
    const { id } = await create('/content/api/organizations', { name: 'Of paths' })
    const paths = `/content/api/organizations/${id}/environments/paths`
    const names = async (path: string) =>
      (await server.ask(path)).body.results.map(({ environments }: Json) => environments.map(({ name }: Json) => name))
    assert.deepEqual(await names(paths), [['Library']])
    const add = (name: string, prior: string) => create(base, { organization_id: id, name, prior })
    await add('Dev', 'Library')
    await add('Prod', 'Dev')
    await add('Canary', 'Dev')
    await add('Lab', 'Library')
    const expected = [
      ['Library', 'Dev', 'Prod'],
      ['Library', 'Dev', 'Canary'],
      ['Library', 'Lab'],
    ]
    assert.deepEqual(await names(`${paths}?permission_type=promotable`), expected)
    assert.deepEqual(await names(`${base}/paths?organization_id=${id}`), expected)
    messageIn(await server.ask(`${base}/paths?organization_id=999999`), base, 404)
  })

  it('are listed, searched and paged', async () => {
    const { id } = await create('/content/api/organizations', { name: 'Of lists' })
    for (const [name, prior] of [
      ['One', 'Library'],
      ['Two', 'One'],
      ['Three', 'Two'],
    ])
      await create(base, { organization_id: id, name, prior, description: `comes after ${prior}` })
    const ask = async (query: string) =>
      (await server.ask(`/content/api/organizations/${id}/environments?${query}`)).body
    const names = async (query: string) => (await ask(query)).results.map(({ name }: Json) => name)
    assert.deepEqual(await names(''), ['Library', 'One', 'Three', 'Two'])
    assert.deepEqual(await names('search=comes'), ['One', 'Three', 'Two'])
    assert.deepEqual(await names('search=prior%3DOne'), ['Two'])
    assert.deepEqual(await names('search=library%3Dtrue'), ['Library'])
    assert.deepEqual(await names('library=false&order=name desc'), ['Two', 'Three', 'One'])
    assert.deepEqual(await names('name=Two'), ['Two'])
    assert.deepEqual(await names('label=Three'), ['Three'])
    const { results, ...facts } = await ask('per_page=2&page=2&order=id asc&search=not name=x')
    assert.deepEqual(
      results.map(({ name }: Json) => name),
      ['Two', 'Three'],
    )
    assert.deepEqual(facts, {
      total: 4,
      subtotal: 4,
      selectable: 4,
      page: 2,
      per_page: 2,
      error: null,
      search: 'not name=x',
      sort: { by: 'id', order: 'asc' },
    })
    messageIn(await server.ask('/content/api/organizations/999999/environments'), base, 404)
    messageIn(await server.ask(`${base}?organization_id=zoo`), base, 422)
  })

  it('can be completed in searches', async () => {
    const { body } = await server.ask(`${base}/auto_complete_search?search=lab`)
    assert.deepEqual(
      body.map(({ label }: Json) => label),
      ['label'],
    )
  })
})

describe('the rights of environments', () => {
  it('are those of the roles', async () => {
    const stage = await createEnvironment('Of rights')
    const path = `${base}/${stage.id}`
    const asking: readonly (readonly [string, string, object | undefined, Record<Member, number>])[] = [
      ['GET', path, undefined, { stranger: 404, viewer: 200, editor: 200, manager: 200 }],
      ['GET', `${ofFirst}/paths`, undefined, { stranger: 404, viewer: 200, editor: 200, manager: 200 }],
      ['GET', ofFirst, undefined, { stranger: 404, viewer: 200, editor: 200, manager: 200 }],
      ['PUT', path, { description: 'x' }, { stranger: 404, viewer: 403, editor: 403, manager: 200 }],
      ['POST', ofFirst, { name: 'Own', prior: 'Library' }, { stranger: 404, viewer: 403, editor: 403, manager: 201 }],
      ['DELETE', path, undefined, { stranger: 404, viewer: 403, editor: 403, manager: 200 }],
    ]
    for (const [method, url, body, expected] of asking) {
      for (const [member, status] of Object.entries(expected)) {
        const sent = body === undefined ? {} : { body }
        const answer = await server.ask(url, { method, as: loginOf(member as Member), ...sent })
        assert.equal(answer.status, status, `${member}: ${method} ${url} ${JSON.stringify(answer.body)}`)
      }
    }
    const all = await server.ask(`${base}?search=name ~ ""`, { as: loginOf('stranger') })
    assert.deepEqual([all.body.total, all.body.results], [0, []])
    const permissions = async (member: Member) =>
      (await server.ask(`${base}/${library.id}`, { as: loginOf(member) })).body.permissions
    assert.equal((await permissions('viewer')).edit_lifecycle_environments, false)
    assert.equal((await permissions('manager')).edit_lifecycle_environments, true)
    assert.equal((await permissions('manager')).destroy_lifecycle_environments, false)
  })
})
