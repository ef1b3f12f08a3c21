import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { messageIn, refused } from '../support/error-answers.ts'
import type { Json } from '../support/json.ts'
import { createMembers, loginOf, type Member } from '../support/members.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { ViewRows } from '../support/view-rows.ts'

const base = '/content/api/content_views'

let server: TestServer
let rows: ViewRows
before(async () => {
  server = await startTestServer()
  rows = new ViewRows(server)
  await createMembers(server)
})
after(() => server[Symbol.asyncDispose]())

const show = async (view: Json) => (await server.ask(`${base}/${view.id}`)).body
const pathOf = (view: Json) => `${base}/${view.id}/content_view_components`
const createComposite = (more: object = {}) => rows.createView({ composite: true, ...more })
const ask = (view: Json, deed: string | number, body: object) =>
  server.ask(`${pathOf(view)}/${deed}`, { method: 'PUT', body })
const add = (view: Json, ...components: readonly object[]) => ask(view, 'add', { components })

/** A view with versions 1.0 and 2.0. */
async function createPart(): Promise<{ readonly view: Json; readonly first: number; readonly second: number }> {
  const view = await rows.createView()
  return { view, first: await rows.insertVersion(view), second: await rows.insertVersion(view, { major: 2 }) }
}

describe('a component', () => {
  it('is a version of a view, or always its latest one', async () => {
    const [named, latest, empty] = [await createPart(), await createPart(), await rows.createView()]
    const composite = await createComposite()
    const added = await add(
      composite,
      { content_view_id: named.view.id, content_view_version_id: named.first },
      { content_view_id: latest.view.id, latest: true },
      { content_view_id: empty.id, latest: true },
    )
    assert.equal(added.status, 200, JSON.stringify(added.body))
    const { results, ...facts } = added.body
    assert.deepEqual([facts.total, facts.subtotal, facts.page, facts.error], [3, 3, 1, null])
    const [one, two, three] = results
    assert.deepEqual(
      [one.latest, one.content_view.name, one.content_view_version.id, one.content_view_version.version],
      [false, named.view.name, named.first, '1.0'],
    )
    assert.deepEqual([two.latest, two.content_view_version.id], [true, latest.second])
    assert.deepEqual([three.latest, three.content_view_version], [true, null])
    const shown = await show(composite)
    assert.deepEqual(shown.component_ids, [named.first, latest.second])
    assert.deepEqual(shown.content_view_components, results)
    assert.equal(shown.components[0].name, `${named.view.name} 1.0`)
    const third = await rows.insertVersion(latest.view, { major: 3 })
    assert.deepEqual((await show(composite)).component_ids, [named.first, third])
    const listed = await server.ask(pathOf(composite))
    assert.deepEqual([listed.status, listed.body.results.length], [200, 3])
    assert.deepEqual((await server.ask(`${pathOf(composite)}/${one.id}`)).body, one)
    messageIn(await server.ask(`${pathOf(await createComposite())}/${one.id}`), base, 404)
  })

  it('is given by the id of a version alone', async () => {
    const part = await createPart()
    const composite = await createComposite()
    assert.equal((await add(composite, { content_view_version_id: part.second })).status, 200)
    assert.deepEqual((await show(composite)).component_ids, [part.second])
  })

  it('is changed to another version of the same view', async () => {
    const [part, other] = [await createPart(), await createPart()]
    const composite = await createComposite({ component_ids: [part.first] })
    const [{ id }] = (await show(composite)).content_view_components
    const changed = await ask(composite, id, { content_view_version_id: part.second })
    assert.deepEqual(
      [changed.status, changed.body.id, changed.body.latest, changed.body.content_view_version.id],
      [200, id, false, part.second],
    )
    const latest = await ask(composite, id, { latest: true })
    assert.deepEqual([latest.body.id, latest.body.latest], [id, true])
    for (const body of [
      {},
      { latest: false },
      { latest: true, content_view_version_id: part.first },
      { content_view_version_id: other.first },
      { content_view_version_id: 'zoo' },
    ])
      refused(await ask(composite, id, body), 'content_view_version_id')
    messageIn(await ask(composite, 999_999, { latest: true }), base, 404)
  })

  it('is taken out again', async () => {
    const [one, two] = [await createPart(), await createPart()]
    const composite = await createComposite({ component_ids: [one.first, two.first] })
    const [first, second] = (await show(composite)).content_view_components
    refused(await ask(composite, 'remove', { component_ids: [first.id, 999_999] }), 'component_ids', '999999')
    refused(await ask(composite, 'remove', { component_ids: [] }), 'component_ids')
    const removed = await ask(composite, 'remove', { component_ids: [first.id] })
    assert.deepEqual([removed.status, removed.body.total, removed.body.results[0].id], [200, 1, second.id])
  })

  it('is refused when it cannot be one', async () => {
    const [part, other] = [await createPart(), await createPart()]
    const composite = await createComposite({ component_ids: [part.first] })
    const inside = await createComposite()
    const insideVersion = await rows.insertVersion(inside)
    const { id } = await rows.create('organizations', { name: 'Elsewhere' })
    const foreign = await rows.create('content_views', { organization_id: id, name: 'Far' })
    const usual = (await server.ask(`${base}?search=default=true and organization_id=1`)).body.results[0]
    const cases: readonly object[] = [
      {},
      { content_view_id: other.view.id },
      { latest: true },
      { content_view_id: other.view.id, latest: true, content_view_version_id: other.first },
      { content_view_id: other.view.id, content_view_version_id: part.first },
      { content_view_id: foreign.id, latest: true },
      { content_view_id: 999_999, latest: true },
      { content_view_version_id: 999_999 },
      { content_view_id: inside.id, latest: true },
      { content_view_version_id: insideVersion },
      { content_view_id: usual.id, latest: true },
      { content_view_version_id: usual.latest_version_id },
      { content_view_id: part.view.id, latest: true },
      { content_view_id: composite.id, latest: true },
    ]
    for (const component of cases) refused(await add(composite, component), 'components')
    refused(
      await add(composite, { content_view_version_id: other.first }, { content_view_version_id: other.second }),
      'components',
      'more than once',
    )
    refused(await add(composite), 'components')
    refused(await add(other.view, { content_view_version_id: part.first }), 'composite_content_view_id')
    const answer = await server.ask(`${base}/${composite.id}`, {
      method: 'PUT',
      body: { component_ids: [insideVersion] },
    })
    refused(answer, 'component_ids')
    assert.deepEqual((await show(composite)).component_ids, [part.first])
    messageIn(await server.ask(pathOf({ id: 999_999 })), base, 404)
  })

  it('stays the same one when the versions of a composite view are replaced', async () => {
    const [one, two, three] = [await createPart(), await createPart(), await createPart()]
    const composite = await createComposite({ component_ids: [one.first, two.first] })
    const [kept] = (await show(composite)).content_view_components
    const body = { component_ids: [three.first, one.second] }
    const changed = await server.ask(`${base}/${composite.id}`, { method: 'PUT', body })
    assert.deepEqual(changed.body.component_ids, [one.second, three.first])
    assert.equal(changed.body.content_view_components[0].id, kept.id)
  })

  it('is added once when it is asked for many times at once', async () => {
    const part = await createPart()
    const composite = await createComposite()
    const answers = await Promise.all([1, 2, 3, 4].map(() => add(composite, { content_view_version_id: part.first })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422, 422, 422])
  })

  it('is changed by editors, and seen by viewers', async () => {
    const part = await createPart()
    const composite = await createComposite()
    const expected: Record<Member, readonly [number, number]> = {
      stranger: [404, 404],
      viewer: [403, 200],
      editor: [200, 200],
      manager: [422, 200],
    }
    const body = { components: [{ content_view_version_id: part.first }] }
    for (const [member, [adding, listing]] of Object.entries(expected)) {
      const as = loginOf(member as Member)
      assert.equal((await server.ask(`${pathOf(composite)}/add`, { method: 'PUT', body, as })).status, adding, member)
      assert.equal((await server.ask(pathOf(composite), { as })).status, listing, member)
    }
  })
})
