import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { messageIn, refused } from '../support/error-answers.ts'
import type { Json } from '../support/json.ts'
import { createMembers, loginOf, type Member } from '../support/members.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { form, multipart } from '../support/uploads.ts'
import { ViewRows } from '../support/view-rows.ts'

const base = '/content/api/content_view_versions'
const views = '/content/api/content_views'

let server: TestServer
let rows: ViewRows
before(async () => {
  server = await startTestServer()
  rows = new ViewRows(server)
  await createMembers(server)
})
after(() => server[Symbol.asyncDispose]())

const show = async (id: number) => (await server.ask(`${base}/${id}`)).body
const found = async (path: string) => (await server.ask(path)).body.results.map(({ id }: Json) => id)

async function upload(repository: Json, ...names: readonly string[]): Promise<void> {
  const body = form(names.map((name) => ['content[]', `text of ${name}`, name] as const))
  const path = `/content/api/repositories/${repository.id}/upload_content`
  const answer = await server.ask(path, { method: 'POST', body, headers: multipart })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

describe('a version', () => {
  it('is shown with what it holds and where it is', async () => {
    const [one, two] = [await rows.createRepository(), await rows.createRepository()]
    await upload(one, 'a', 'b')
    await upload(two, 'c')
    const stage = await rows.createEnvironment('Version stage')
    const view = await rows.createView({ repository_ids: [one.id, two.id] })
    const id = await rows.insertVersion(view, {
      major: 2,
      minor: 3,
      description: 'as it was',
      environmentIds: [1, stage.id],
      repositoryIds: [one.id, two.id],
    })
    await upload(one, 'later')
    const version = await show(id)
    assert.deepEqual([version.name, version.version, version.major, version.minor], [`${view.name} 2.3`, '2.3', 2, 3])
    assert.deepEqual([version.description, version.default, version.content_view_id], ['as it was', false, view.id])
    assert.deepEqual(version.content_view, { id: view.id, name: view.name, label: view.label })
    assert.deepEqual(
      version.repositories.map(({ name, content_type, library_instance_id }: Json) => [
        name,
        content_type,
        library_instance_id,
      ]),
      [
        [one.name, 'file', one.id],
        [two.name, 'file', two.id],
      ],
    )
    assert.ok(![one.id, two.id].includes(version.repositories[0].id))
    assert.deepEqual([version.file_count, version.rpm_count, version.docker_tag_count], [3, 0, 0])
    assert.deepEqual(
      version.environments.map((environment: Json) => [environment.id, environment.name, environment.label]),
      [
        [1, 'Library', 'Library'],
        [stage.id, 'Version stage', 'Version_stage'],
      ],
    )
    assert.match(version.environments[0].publish_date, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
    assert.deepEqual([version.last_event.action, version.active_history], ['publish', []])
    assert.deepEqual([version.components, version.composite_content_view_ids], [[], []])
    assert.equal(version.permissions.deletable, false)
    messageIn(await server.ask(`${base}/999999`), base, 404)
    messageIn(await server.ask(`${base}/zoo`), base, 422)
  })

  it('may be deleted when it is nowhere and nothing is made of it', async () => {
    const view = await rows.createView()
    const [free, used, awaited] = [
      await rows.insertVersion(view),
      await rows.insertVersion(view, { major: 2 }),
      await rows.insertVersion(view, { major: 3 }),
    ]
    const composite = await rows.createView({ composite: true, component_ids: [awaited] })
    const made = await rows.insertVersion(composite)
    await rows.query('insert into content_view_version_components (version_id, component_id) values ($1, $2)', [
      made,
      used,
    ])
    const deletable = async (id: number) => (await show(id)).permissions.deletable
    assert.deepEqual([await deletable(free), await deletable(used), await deletable(awaited)], [true, false, false])
    const { components } = await show(made)
    assert.deepEqual(
      components.map((component: Json) => [component.id, component.name, component.content_view.id]),
      [[used, `${view.name} 2.0`, view.id]],
    )
    const { composite_content_view_ids, composite_content_view_version_ids } = await show(used)
    assert.deepEqual([composite_content_view_ids, composite_content_view_version_ids], [[composite.id], [made]])
    assert.deepEqual(await found(`${base}?composite_version_id=${made}`), [used])
  })

  it('is described', async () => {
    const view = await rows.createView()
    const id = await rows.insertVersion(view, { description: 'old' })
    const put = (body: object) => server.ask(`${base}/${id}`, { method: 'PUT', body })
    const changed = await put({ content_view_version: { description: 'new', major: 7 } })
    assert.deepEqual([changed.status, changed.body.description, changed.body.version], [200, 'new', '1.0'])
    assert.equal((await put({})).body.description, 'new')
    assert.equal((await put({ description: null })).body.description, null)
    refused(await put({ description: 7 }), 'description')
    const [usual] = await found(`${base}?search=content_view="Default Organization View"`)
    refused(await server.ask(`${base}/${usual}`, { method: 'PUT', body: { description: 'x' } }), 'id')
  })
})

describe('the version of the default view', () => {
  it('holds all repositories in Library, as they are now', async () => {
    const { id } = await rows.create('organizations', { name: 'Of the default' })
    const repository = await rows.createRepository(id)
    await upload(repository, 'one')
    const [version] = (await server.ask(`${base}?organization_id=${id}`)).body.results
    assert.deepEqual([version.default, version.version, version.file_count], [true, '1.0', 1])
    const [{ id: shown, library_instance_id: library }] = version.repositories
    assert.deepEqual([shown, library, version.repositories.length], [repository.id, repository.id, 1])
    assert.deepEqual(await found(`${base}?organization_id=${id}&nondefault=true`), [])
    assert.equal(version.permissions.deletable, false)
  })
})

describe('versions', () => {
  it('are found by view, number, environment and repository', async () => {
    const stage = await rows.createEnvironment('Stage of versions')
    const repository = await rows.createRepository()
    const view = await rows.createView()
    const [first, ninth, tenth] = [
      await rows.insertVersion(view, { description: 'the first', repositoryIds: [repository.id] }),
      await rows.insertVersion(view, { minor: 9, environmentIds: [stage.id] }),
      await rows.insertVersion(view, { minor: 10 }),
    ]
    const nested = `${views}/${view.id}/content_view_versions`
    assert.deepEqual(await found(nested), [tenth, ninth, first])
    assert.deepEqual(await found(`${base}?content_view_id=${view.id}&order=version asc`), [first, ninth, tenth])
    assert.deepEqual(await found(`${base}?search=content_view_id=${view.id},version=1.0&per_page=4294967296`), [first])
    assert.deepEqual(await found(`${nested}?version=1.10`), [tenth])
    assert.deepEqual(await found(`${nested}?search=version > 1.8 and version < 1.10`), [ninth])
    assert.deepEqual(await found(`${nested}?search=version >= zoo`), [tenth, ninth, first])
    assert.deepEqual(await found(`${nested}?search=version ^ (1.0, 1.10)`), [tenth, first])
    assert.deepEqual(await found(`${nested}?search=first`), [first])
    assert.deepEqual(await found(`${base}?search=id=${ninth}`), [ninth])
    assert.deepEqual(await found(`${base}?search=repository="${repository.name}"&nondefault=true`), [first])
    assert.deepEqual(await found(`${base}?search=content_view="${view.name}"`), [tenth, ninth, first])
    assert.deepEqual(await found(`${base}?environment_id=${stage.id}`), [ninth])
    assert.deepEqual(await found(`${nested}?organization_id=1&include_applied_filters=true`), [tenth, ninth, first])
    const { results, ...facts } = (await server.ask(`${nested}?per_page=2&page=2`)).body
    assert.deepEqual([results.length, results[0].id], [1, first])
    assert.deepEqual(facts, {
      total: 3,
      subtotal: 3,
      selectable: 3,
      page: 2,
      per_page: 2,
      error: null,
      search: null,
      sort: { by: 'version', order: 'desc' },
    })
    messageIn(await server.ask(`${base}?content_view_id=999999`), base, 404)
    messageIn(await server.ask(`${base}?organization_id=999999`), base, 404)
    messageIn(await server.ask(`${views}/999999/content_view_versions`), base, 404)
    messageIn(await server.ask(`${base}?content_view_id=zoo`), base, 422)
  })
})

describe('the history of a content view', () => {
  it('is listed, the newest first', async () => {
    const view = await rows.createView()
    const first = await rows.insertVersion(view, { description: 'begins' })
    await rows.query(
      `insert into content_view_history (version_id, action, environment_id, environment_name, username, created_at)
       values ($1, 'promotion', 4711, 'Gone', 'keeper', now() + interval '1 minute')`,
      [first],
    )
    const { body } = await server.ask(`${views}/${view.id}/history`)
    const [promotion, publication] = body.results
    assert.deepEqual([body.total, body.sort], [2, { by: 'created_at', order: 'desc' }])
    assert.deepEqual(
      [promotion.action, promotion.version, promotion.version_id, promotion.environment, promotion.user],
      ['promotion', '1.0', first, { id: 4711, name: 'Gone' }, 'keeper'],
    )
    assert.deepEqual(
      [publication.action, publication.environment, publication.task, publication.status, publication.description],
      ['publish', null, null, 'successful', 'begins'],
    )
    const found = await server.ask(`${views}/${view.id}/history?search=user = keeper&per_page=1`)
    assert.deepEqual([found.body.subtotal, found.body.results[0].id], [1, promotion.id])
    messageIn(await server.ask(`${views}/999999/history`), base, 404)
  })
})

describe('the rights of versions', () => {
  it('are those of the roles', async () => {
    const view = await rows.createView()
    const id = await rows.insertVersion(view)
    const all = { stranger: 404, viewer: 200, editor: 200, manager: 200 }
    const asking: readonly (readonly [string, string, object | undefined, Record<Member, number>])[] = [
      ['GET', `${base}/${id}`, undefined, all],
      ['GET', `${views}/${view.id}/content_view_versions`, undefined, all],
      ['PUT', `${base}/${id}`, { description: 'x' }, { ...all, viewer: 403 }],
    ]
    for (const [method, url, body, expected] of asking) {
      for (const [member, status] of Object.entries(expected)) {
        const sent = body === undefined ? {} : { body }
        const answer = await server.ask(url, { method, as: loginOf(member as Member), ...sent })
        assert.equal(answer.status, status, `${member}: ${method} ${url} ${JSON.stringify(answer.body)}`)
      }
    }
    const list = await server.ask(`${base}?search=not version=x`, { as: loginOf('stranger') })
    assert.deepEqual([list.body.total, list.body.results], [0, []])
    const editor = await server.ask(`${base}/${id}`, { as: loginOf('editor') })
    assert.equal(editor.body.permissions.deletable, false)
  })
})
