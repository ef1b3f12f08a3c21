import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { messageIn, refused } from '../support/error-answers.ts'
import type { Json } from '../support/json.ts'
import { createMembers, loginOf, type Member } from '../support/members.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { ViewRows } from '../support/view-rows.ts'

const base = '/content/api/content_views'
const ofFirst = '/content/api/organizations/1/content_views'

let server: TestServer
let rows: ViewRows
let foreign: { readonly organization: Json; readonly repository: Json; readonly view: Json }
before(async () => {
  server = await startTestServer()
  rows = new ViewRows(server)
  await createMembers(server)
  const organization = await rows.create('organizations', { name: 'Elsewhere' })
  const repository = await rows.createRepository(organization.id)
  const view = await rows.create('content_views', { organization_id: organization.id, name: 'Far' })
  foreign = { organization, repository, view }
})
after(() => server[Symbol.asyncDispose]())

const show = async (view: Json) => (await server.ask(`${base}/${view.id}`)).body
const put = (view: Json, body: object) => server.ask(`${base}/${view.id}`, { method: 'PUT', body })
const idsOf = (records: readonly Json[]) => records.map(({ id }) => id)

describe('a content view', () => {
  it('is created with what it is published from', async () => {
    const [one, two] = [await rows.createRepository(), await rows.createRepository()]
    const view = await rows.create('organizations/1/content_views', {
      name: 'Whole one',
      description: 'All of it',
      solve_dependencies: true,
      repository_ids: [two.id, one.id, one.id],
    })
    assert.deepEqual(
      [view.name, view.label, view.description, view.solve_dependencies, view.import_only, view.auto_publish],
      ['Whole one', 'Whole_one', 'All of it', true, false, false],
    )
    assert.deepEqual([view.composite, view.default, view.organization_id], [false, false, 1])
    assert.deepEqual(view.organization, { id: 1, name: 'Default Organization', label: 'Default_Organization' })
    assert.deepEqual(view.repository_ids, [one.id, two.id])
    assert.deepEqual(view.repositories[0], { id: one.id, name: one.name, label: one.label, content_type: 'file' })
    assert.deepEqual([view.next_version, view.latest_version, view.latest_version_id], ['1.0', null, null])
    assert.deepEqual([view.version_count, view.versions, view.last_published, view.last_task], [0, [], null, null])
    assert.deepEqual([view.environments, view.components, view.component_ids], [[], [], []])
    assert.deepEqual([view.activation_keys, view.hosts, view.duplicate_repositories_to_publish], [[], [], []])
    assert.deepEqual([view.errors, view.permissions.destroy_content_views], [null, true])
    assert.deepEqual(await show(view), view)
  })

  it('is shown with its versions and where they are', async () => {
    const view = await rows.createView()
    const stage = await rows.createEnvironment('Shown stage')
    const old = await rows.insertVersion(view, { description: 'first', environmentIds: [stage.id] })
    const minor = await rows.insertVersion(view, { major: 10, minor: 2 })
    const latest = await rows.insertVersion(view, { major: 10, minor: 11, environmentIds: [1] })
    const shown = await show(view)
    assert.deepEqual([shown.version_count, shown.latest_version, shown.next_version], [3, '10.11', '11.0'])
    assert.equal(shown.latest_version_id, latest)
    assert.deepEqual(idsOf(shown.versions), [old, minor, latest])
    const [{ published, ...first }] = shown.versions
    assert.match(published, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
    assert.deepEqual(first, { id: old, version: '1.0', description: 'first', environment_ids: [stage.id] })
    assert.deepEqual(
      shown.environments.map(({ id, name, label }: Json) => [id, name, label]),
      [
        [1, 'Library', 'Library'],
        [stage.id, 'Shown stage', 'Shown_stage'],
      ],
    )
    assert.equal(typeof shown.last_published, 'string')
  })

  it('is changed in what is given, and keeps its label', async () => {
    const repository = await rows.createRepository()
    const view = await rows.createView({ description: 'Old', repository_ids: [repository.id] })
    const renamed = await put(view, { content_view: { name: 'Renamed view', label: 'other' } })
    assert.deepEqual(
      [renamed.status, renamed.body.name, renamed.body.label, renamed.body.description],
      [200, 'Renamed view', view.label, 'Old'],
    )
    assert.deepEqual(renamed.body.repository_ids, [repository.id])
    const cleared = await put(view, {
      description: null,
      solve_dependencies: true,
      repository_ids: [],
      component_ids: [],
      composite: false,
      import_only: false,
    })
    assert.deepEqual(
      [cleared.body.description, cleared.body.solve_dependencies, cleared.body.repository_ids],
      [null, true, []],
    )
    const same = await put(view, { solve_dependencies: null, repository_ids: null, auto_publish: null })
    assert.deepEqual([same.status, same.body.solve_dependencies], [200, true])
  })

  it('is refused when it is not what it could be', async () => {
    const taken = await rows.createView()
    const repository = await rows.createRepository()
    const version = await rows.insertVersion(taken)
    const cases: readonly (readonly [body: object, field: string])[] = [
      [{}, 'name'],
      [{ name: '' }, 'name'],
      [{ name: 7 }, 'name'],
      [{ name: taken.name, label: 'free' }, 'name'],
      [{ name: 'free', label: taken.label }, 'label'],
      [{ name: 'custom' }, 'label'],
      [{ name: 'free', label: 'custom' }, 'label'],
      [{ name: 'free', label: 'a b' }, 'label'],
      [{ name: 'free', auto_publish: true }, 'auto_publish'],
      [{ name: 'free', composite: 'zoo' }, 'composite'],
      [{ name: 'free', repository_ids: 'zoo' }, 'repository_ids'],
      [{ name: 'free', repository_ids: [repository.id, foreign.repository.id] }, 'repository_ids'],
      [{ name: 'free', repository_ids: [999_999] }, 'repository_ids'],
      [{ name: 'free', component_ids: [version] }, 'component_ids'],
      [{ name: 'free', composite: true, repository_ids: [repository.id] }, 'repository_ids'],
      [{ name: 'free', composite: true, component_ids: [999_999] }, 'component_ids'],
    ]
    for (const [body, field] of cases) refused(await server.ask(ofFirst, { method: 'POST', body }), field)
    messageIn(await server.ask(base, { method: 'POST', body: { organization_id: 999_999, name: 'free' } }), base, 404)
    assert.equal((await server.ask(`${ofFirst}?name=free`)).body.total, 0)
  })

  it('is not changed in what it cannot change, and into nothing that it cannot be', async () => {
    const repository = await rows.createRepository()
    const view = await rows.createView({ repository_ids: [repository.id] })
    const other = await rows.createView()
    const version = await rows.insertVersion(view, { repositoryIds: [repository.id] })
    const [{ id: copy }] = (await server.ask(`/content/api/repositories?content_view_version_id=${version}`)).body
      .results
    refused(await put(view, { composite: true }), 'composite')
    refused(await put(view, { import_only: true }), 'import_only')
    refused(await put(view, { auto_publish: true }), 'auto_publish')
    refused(await put(view, { component_ids: [version] }), 'component_ids')
    refused(await put(view, { name: other.name }), 'name')
    const bad = [copy, foreign.repository.id, 999_999]
    refused(await put(view, { name: 'x', repository_ids: [repository.id, ...bad] }), 'repository_ids', bad.join(', '))
    const now = await show(view)
    assert.deepEqual([now.name, now.repository_ids], [view.name, [repository.id]])
  })

  it('keeps all of many changes that are made at once', async () => {
    const repository = await rows.createRepository()
    const view = await rows.createView()
    const changes = [
      { name: 'Busy view' },
      { description: 'At once' },
      { solve_dependencies: true },
      { repository_ids: [repository.id] },
      { repository_ids: [repository.id] },
    ]
    const answers = await Promise.all(changes.map((body) => put(view, body)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    const now = await show(view)
    assert.deepEqual(
      [now.name, now.description, now.solve_dependencies, now.repository_ids],
      ['Busy view', 'At once', true, [repository.id]],
    )
  })
})

describe('the default view', () => {
  it('is listed, and neither changed nor copied', async () => {
    const { body } = await server.ask(`${ofFirst}?search=default=true`)
    const [view] = body.results
    assert.deepEqual([view.default, view.latest_version, view.permissions.edit_content_views], [true, '1.0', false])
    refused(await put(view, { description: 'x' }), 'id')
    refused(await server.ask(`${base}/${view.id}/copy`, { method: 'POST', body: { name: 'Copy' } }), 'id')
  })
})

describe('content views', () => {
  it('are listed as they are asked for', async () => {
    const stage = await rows.createEnvironment('Stage of lists')
    const { id } = await rows.create('organizations', { name: 'Of lists' })
    const make = (name: string, more: object = {}) =>
      rows.create('content_views', { organization_id: id, name, ...more })
    const [one, two] = [await make('One', { description: 'fine' }), await make('Two', { composite: true })]
    const placed = await rows.createView()
    await rows.insertVersion(placed, { environmentIds: [stage.id] })
    const list = `/content/api/organizations/${id}/content_views`
    const names = async (path: string) => (await server.ask(path)).body.results.map(({ name }: Json) => name)
    const usual = 'Default Organization View'
    assert.deepEqual(await names(list), [usual, 'One', 'Two'])
    assert.deepEqual(await names(`${list}?nondefault=true`), ['One', 'Two'])
    assert.deepEqual(await names(`${list}?noncomposite=1`), [usual, 'One'])
    assert.deepEqual(await names(`${list}?composite=true`), ['Two'])
    assert.deepEqual(await names(`${list}?composite=false&nondefault=true`), ['One'])
    assert.deepEqual(await names(`${list}?without[]=${one.id}&without[]=${two.id}`), [usual])
    assert.deepEqual(await names(`${list}?without=${one.id}`), [usual, 'Two'])
    assert.deepEqual(await names(`${list}?name=One`), ['One'])
    assert.deepEqual(await names(`${list}?label=Two`), ['Two'])
    assert.deepEqual(await names(`${list}?search=name="One"&per_page=4294967296`), ['One'])
    assert.deepEqual(await names(`${list}?search=fine`), ['One'])
    assert.deepEqual(await names(`${list}?search=composite=true or label=One&order=name desc`), ['Two', 'One'])
    assert.deepEqual(await names(`${base}?environment_id=${stage.id}`), [placed.name])
    assert.deepEqual(await names(`${base}?organization_id=${id}&per_page=2&page=2`), ['Two'])
    const { body } = await server.ask(`${list}?per_page=1&search=not name=x`)
    assert.deepEqual([body.total, body.subtotal, body.per_page, body.error], [3, 3, 1, null])
    messageIn(await server.ask(`${base}?organization_id=999999`), base, 404)
    messageIn(await server.ask(`${base}?environment_id=zoo`), base, 422)
    messageIn(await server.ask(`${base}?without=zoo`), base, 422)
  })

  it('cost as many queries as one of them', async () => {
    const { id } = await rows.create('organizations', { name: 'Of many' })
    const make = (name: string) => rows.create('content_views', { organization_id: id, name })
    const list = async () => {
      const before = queries
      const { body } = await server.ask(`${base}?organization_id=${id}&full_result=true`)
      return [body.results.length, queries - before]
    }
    let queries = 0
    const { query } = pg.Client.prototype
    pg.Client.prototype.query = function (this: pg.Client, ...asked: Parameters<typeof query>) {
      if (JSON.stringify(asked[0]).includes('content_view')) queries += 1
      return query.apply(this, asked)
    } as typeof query
    try {
      const [one, few] = await list()
      await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map(make))
      assert.ok(Number(few) > 3)
      assert.deepEqual([one, await list()], [1, [10, few]])
    } finally {
      pg.Client.prototype.query = query
    }
  })

  it('can be completed in searches', async () => {
    const { body } = await server.ask(`${base}/auto_complete_search?search=comp`)
    assert.deepEqual(
      body.map(({ label }: Json) => label),
      ['composite'],
    )
  })
})

describe('the rights of content views', () => {
  it('are those of the roles', async () => {
    const view = await rows.createView()
    const repository = await rows.createRepository()
    const path = `${base}/${view.id}`
    const all = { stranger: 404, viewer: 200, editor: 200, manager: 200 }
    const asking: readonly (readonly [string, string, object | undefined, Record<Member, number>])[] = [
      ['GET', path, undefined, all],
      ['GET', `${path}/history`, undefined, all],
      ['GET', ofFirst, undefined, all],
      ['PUT', path, { repository_ids: [repository.id] }, { ...all, viewer: 403 }],
      ['POST', ofFirst, { name: 'Own' }, { stranger: 404, viewer: 403, editor: 403, manager: 201 }],
      ['POST', `${path}/copy`, { name: 'Own copy' }, { stranger: 404, viewer: 403, editor: 403, manager: 201 }],
    ]
    for (const [method, url, body, expected] of asking) {
      for (const [member, status] of Object.entries(expected)) {
        const sent = body === undefined ? {} : { body }
        const answer = await server.ask(url, { method, as: loginOf(member as Member), ...sent })
        assert.equal(answer.status, status, `${member}: ${method} ${url} ${JSON.stringify(answer.body)}`)
      }
    }
    const list = await server.ask(`${base}?search=name ~ ""`, { as: loginOf('stranger') })
    assert.deepEqual([list.body.total, list.body.results], [0, []])
    const permissions = async (member: Member) => (await server.ask(path, { as: loginOf(member) })).body.permissions
    assert.equal((await permissions('viewer')).edit_content_views, false)
    assert.equal((await permissions('editor')).edit_content_views, true)
    assert.equal((await permissions('editor')).destroy_content_views, false)
    const far = await server.ask(`${base}/${foreign.view.id}`, { as: loginOf('manager') })
    messageIn(far, base, 404)
  })
})
