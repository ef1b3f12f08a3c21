import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server[Symbol.asyncDispose]())

describe('roles', () => {
  it('are listed, searched and shown, to everybody who has logged in', async () => {
    await server.ask('/api/users', { method: 'POST', body: { login: 'plain', password: 'plain password' } })
    const all = await server.ask('/api/roles', { as: 'plain:plain password' })
    const found = await server.ask('/api/roles?search=name="editor"&per_page=4294967296')
    const shown = await server.ask(`/api/roles/${found.body.results[0].id}`)

    const names = all.body.results.map(({ name }: { name: string }) => name)
    assert.deepEqual(names, ['administrator', 'editor', 'manager', 'viewer'])
    assert.deepEqual([found.body.total, found.body.subtotal], [4, 1])
    assert.deepEqual(shown.body, found.body.results[0])
    assert.equal((await server.ask('/api/roles/99')).status, 404)
    assert.equal((await server.ask('/api/roles?search=nothing=x')).status, 400)
    assert.equal((await server.ask('/api/roles', { as: null })).status, 401)
  })
})
