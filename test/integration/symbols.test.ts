import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { nodeKinds } from '../../src/links/nodes/node-kinds.ts'
import { sizeOfSymbol } from '../../src/links/symbols/default-symbols.ts'
import { post } from '../support/lab.ts'
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

  it('have the sizes that are noted for nodes, which are drawn in the size of their picture', async () => {
    for (const { symbol_id: id } of (await server.ask('/v2/symbols')).body)
      assert.deepEqual(
        (await server.ask(`/v2/symbols/${encodeURIComponent(id)}/dimensions`)).body,
        sizeOfSymbol(id),
        id,
      )
    const project = await post(server, '/v2/projects', { name: 'symbols' })
    const node = { name: 'PC1', node_type: 'vpcs', compute_id: 'local' }
    const sizes = async (chosen: object) => {
      const { width, height } = await post(server, `/v2/projects/${project.project_id}/nodes`, { ...node, ...chosen })
      return [width, height]
    }
    assert.deepEqual(await sizes({ symbol: ':/symbols/router.svg' }), [66, 45])
    assert.deepEqual(await sizes({ symbol: ':/symbols/router.svg', width: 10, height: 20 }), [10, 20])
    assert.deepEqual(await sizes({ symbol: 'own.svg' }), [65, 59])
    assert.deepEqual(await sizes({ symbol: null }), [65, 59])
  })

  it('have the ids of before and after GNS3 had several sets', async () => {
    const { body } = await server.ask('/v2/symbols/:/symbols/cloud.svg/raw')
    for (const id of [':/symbols/classic/cloud.svg', '%3A%2Fsymbols%2Fclassic%2Fcloud.svg'])
      assert.equal((await server.ask(`/v2/symbols/${id}/raw`)).body, body, id)
  })

  it('say which is for what, and are those of one set', async () => {
    const listed = (await server.ask('/v2/symbols')).body
    const { body: defaults } = await server.ask('/v2/default_symbols')
    const [[theme, symbols]] = Object.entries(defaults) as [[string, object]]

    assert.deepEqual(
      Object.values(symbols).toSorted(),
      listed.map(({ symbol_id }: { symbol_id: string }) => symbol_id),
    )
    assert.ok(listed.every((each: { theme: string; builtin: boolean }) => each.theme === theme && each.builtin))
  })

  it('cannot be changed, and are for who logs in', async () => {
    for (const body of ['<svg/>', '{"a"', undefined])
      assert.equal((await server.ask('/v2/symbols/own.svg/raw', { method: 'POST', body })).status, 403)
    assert.equal((await server.ask('/v2/symbols/:/symbols/cloud.svg/raw', { as: null })).status, 401)
    assert.equal((await server.ask('/v2/symbols/own.svg/raw', { method: 'POST', body: 'x', as: null })).status, 401)
  })

  it('that are not there are 404', async () => {
    for (const id of [
      'none',
      ':/symbols/affinity/cloud.svg',
      ':/symbols/classic/..%2Fcloud.svg',
      ':/symbols/none.svg',
      '..%2F..%2Fsymbol-routes.ts',
      ':/symbols/..%2F..%2Findex.ts',
    ])
      assert.equal((await server.ask(`/v2/symbols/${id}/raw`)).status, 404, id)
  })
})
