import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { messageIn } from '../support/error-answers.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer
let projectId: string
before(async () => {
  server = await startTestServer()
  const { body } = await server.ask('/v2/projects', { method: 'POST', body: { name: 'errors' } })
  projectId = body.project_id
})
after(() => server[Symbol.asyncDispose]())

describe('an error of the links API', () => {
  it('shows the declared path, the method and the body when the request is wrong', async () => {
    const path = `/v2/projects/${projectId}/nodes`
    const { status, body } = await server.ask(path, { method: 'POST', body: { name: 'PC1', node_type: 'toaster' } })

    assert.equal(status, 400)
    assert.deepEqual(
      { path: body.path, method: body.method, request: body.request },
      { path: '/v2/projects/{project_id}/nodes', method: 'POST', request: { name: 'PC1', node_type: 'toaster' } },
    )
    assert.match(body.message, /node_type must be one of/)
  })

  for (const [what, text] of [
    ['NUL in a text', '{"name": "a\\u0000b"}'],
    ['NUL in a key', '{"name": "a", "x\\u0000": 1}'],
    ['half a surrogate pair', '{"name": "a", "supplier": {"x": "\\ud800"}}'],
    ['a number as name', '{"name": 7}'],
    ['a number that no computer has', '{"name": "a", "zoom": 1e999}'],
    ['a key like __proto__', '{"name": "a", "__proto__": {"zoom": 1}}'],
    ['a key like constructor', '{"name": "a", "constructor": 1}'],
    ['a list', '[]'],
    ['null', 'null'],
    ['deep nesting', `{"name": "a", "supplier": ${'{"x":'.repeat(60)}1${'}'.repeat(61)}`],
  ] as const) {
    it(`is 400 for ${what}`, async () => {
      const before = await server.ask('/v2/projects')
      messageIn(await server.ask('/v2/projects', { method: 'POST', body: text }), '/v2', 400)

      assert.equal((await server.ask('/v2/projects')).body.length, before.body.length)
    })
  }

  it('is not made by the Content-Type, whatever that is', async () => {
    for (const [index, type] of ['text/plain', 'application/x-www-form-urlencoded', 'none', '', ';;;'].entries()) {
      const { status } = await server.ask('/v2/projects', {
        method: 'POST',
        body: JSON.stringify({ name: `type ${index}` }),
        headers: { 'content-type': type },
      })
      assert.equal(status, 201, type)
    }
  })

  it('is 409 for a name that is taken', async () => {
    messageIn(await server.ask('/v2/projects', { method: 'POST', body: { name: 'errors' } }), '/v2', 409)
  })

  it('is 404 for an id with NUL or blanks, or climbing out', async () => {
    for (const id of ['%00', '%20', '%2e%2e%2f%2e%2e', '%F0%9F%98%80', "'%3b drop table links"]) {
      const { status } = await server.ask(`/v2/projects/${id}`)
      assert.ok(status === 404 || status === 400, `${id}: ${status}`)
    }
  })
})
