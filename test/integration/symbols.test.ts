import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { nodeKinds } from '../../src/links/nodes/node-kinds.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

describe('symbols', () => {
  let server: TestServer
  before(async () => {
    server = await startTestServer()
  })
  after(() => server[Symbol.asyncDispose]())

  it('are there for every kind of node, in the size in which it is drawn', async () => {
    const listed = (await server.ask('/v2/symbols')).body.map(({ symbol_id }: { symbol_id: string }) => symbol_id)
    for (const { type, looks } of nodeKinds) {
      assert.ok(listed.includes(looks.symbol), type)
      const { body } = await server.ask(`/v2/symbols/${encodeURIComponent(looks.symbol)}/dimensions`)
      assert.deepEqual(body, { width: looks.width, height: looks.height }, type)
    }
  })

  it('are pictures that run nothing, whether their id is escaped or not', async () => {
    for (const id of [':/symbols/cloud.svg', '%3A%2Fsymbols%2Fcloud.svg']) {
      const { status, headers, body } = await server.ask(`/v2/symbols/${id}/raw`)
      assert.equal(status, 200, id)
      assert.equal(headers.get('content-type'), 'image/svg+xml')
      assert.match(headers.get('content-security-policy') ?? '', /sandbox/)
      assert.match(body, /^<svg/)
    }
  })

  it('that are not there are 404', async () => {
    for (const id of ['none', ':/symbols/none.svg', '..%2F..%2Fsymbol-routes.ts', ':/symbols/..%2F..%2Findex.ts'])
      assert.equal((await server.ask(`/v2/symbols/${id}/raw`)).status, 404, id)
  })
})
