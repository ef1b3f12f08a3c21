import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { messageIn, refused } from '../support/error-answers.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { ViewRows } from '../support/view-rows.ts'

const base = '/content/api/content_views'

let server: TestServer
let rows: ViewRows
before(async () => {
  server = await startTestServer()
  rows = new ViewRows(server)
})
after(() => server[Symbol.asyncDispose]())

describe('a copy of a content view', () => {
  it('is published from the same, with the same filters', async () => {
    const repository = await rows.createRepository()
    const view = await rows.createView({ description: 'Original', repository_ids: [repository.id] })
    await rows.query(
      `with made as (insert into content_view_filters (view_id, name, type, is_inclusion)
         values ($1, 'few', 'file', true) returning id),
       chosen as (insert into content_view_filter_repositories select id, $2 from made)
       insert into content_view_filter_rules (filter_id, attributes) select id, '{"name":"a*"}' from made`,
      [view.id, repository.id],
    )
    const answer = await server.ask(`${base}/${view.id}/copy`, { method: 'POST', body: { name: 'Copied view' } })
    assert.equal(answer.status, 201)
    const { body: copy } = answer
    assert.deepEqual(
      [copy.name, copy.label, copy.description, copy.repository_ids, copy.filtered, copy.version_count],
      ['Copied view', 'Copied_view', 'Original', [repository.id], true, 0],
    )
    const filters = await rows.query(
      `select filter.name, filter.type, filter.is_inclusion, rule.attributes, chosen.repository_id::int
       from content_view_filters filter join content_view_filter_rules rule on rule.filter_id = filter.id
       join content_view_filter_repositories chosen on chosen.filter_id = filter.id where filter.view_id = $1`,
      [copy.id],
    )
    assert.deepEqual(filters, [
      { name: 'few', type: 'file', is_inclusion: true, attributes: { name: 'a*' }, repository_id: repository.id },
    ])
    refused(await server.ask(`${base}/${view.id}/copy`, { method: 'POST', body: { name: 'Copied view' } }), 'name')
    refused(await server.ask(`${base}/${view.id}/copy`, { method: 'POST', body: {} }), 'name')
    messageIn(await server.ask(`${base}/999999/copy`, { method: 'POST', body: { name: 'x' } }), base, 404)
  })

  it('of a composite one has the same components', async () => {
    const part = await rows.createView()
    const version = await rows.insertVersion(part)
    const composite = await rows.createView({ composite: true, auto_publish: true, component_ids: [version] })
    const body = { name: 'Copied whole', label: 'copied-1' }
    const { body: copy } = await server.ask(`${base}/${composite.id}/copy`, { method: 'POST', body })
    assert.deepEqual(
      [copy.label, copy.composite, copy.auto_publish, copy.component_ids],
      ['copied-1', true, true, [version]],
    )
  })
})
