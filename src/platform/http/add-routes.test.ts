import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { Registry } from 'prom-client'
import { Type } from 'typebox'
import { system } from '../auth/actor.ts'
import { createLogger } from '../log.ts'
import { addRoutes } from './add-routes.ts'
import { endpoint, route } from './endpoint.ts'
import { HttpServer } from './http-server.ts'
import { openApi } from './openapi.ts'
import { createHttpMetrics } from './request-log.ts'

const Params = Type.Object({ id: Type.Integer(), path: Type.String({ maxLength: 20 }) })
const upload = endpoint({
  method: 'POST',
  path: '/v2/things/{id}/files/{path...}',
  status: 200,
  summary: 'Take bytes',
  tag: 'Things',
  params: Params,
  streamsBody: true,
  bodyLimitBytes: 10,
})
const plain = endpoint({
  method: 'POST',
  path: '/v2/things',
  status: 200,
  summary: 'Take JSON',
  tag: 'Things',
  body: Type.Object({ a: Type.Integer() }),
})

let server: HttpServer
before(async () => {
  const metrics = createHttpMetrics(new Registry())
  const listen = { host: '127.0.0.1', port: 0 }
  server = new HttpServer({ name: 'test', listen, logger: createLogger('fatal'), metrics })
  const { signal, stopping } = server
  const routes = [
    route(upload, async ({ params, body, upload: bytes }) => {
      if (params.path === 'unread') return 'unread'
      const pieces = await Array.fromAsync(bytes)
      return { params, body, text: Buffer.concat(pieces).toString() }
    }),
    route(plain, ({ body }) => body),
  ]
  addRoutes(server.app, { routes, authenticate: async () => system, signal, stopping })
  await server.app.ready()
})
after(() => server[Symbol.asyncDispose]())

async function post(url: string, payload: string | Buffer | Readable, headers: Record<string, string> = {}) {
  const answer = await server.app.inject({ method: 'POST', url, payload, headers })
  return { status: answer.statusCode, body: answer.json() }
}

describe('an address with the rest of a path', () => {
  it('gives all that follows, its slashes and escapes too, as one variable', async () => {
    const answer = await post('/v2/things/7/files/a/b%2Fc/%C3%A4', 'x')

    assert.deepEqual(answer.body.params, { id: 7, path: 'a/b/c/ä' })
  })

  it('is checked, and named in errors as it was declared', async () => {
    const long = await post(`/v2/things/7/files/${'x/'.repeat(20)}`, 'x')
    const odd = await post('/v2/things/seven/files/a', 'x')

    assert.equal(long.status, 400)
    assert.match(long.body.message, /path/)
    assert.equal(long.body.path, '/v2/things/{id}/files/{path}')
    assert.match(odd.body.message, /id must be a number/)
  })

  it('is described with its variables, and says that it takes bytes', () => {
    const { paths } = openApi([upload], '1') as { paths: Record<string, Record<string, { requestBody: object }>> }

    assert.deepEqual(Object.keys(paths), ['/v2/things/{id}/files/{path}'])
    const operation = paths['/v2/things/{id}/files/{path}']?.['post']
    assert.deepEqual(operation?.requestBody, { content: { 'application/octet-stream': {} } })
  })
})

describe('a body that is streamed', () => {
  for (const [what, payload, headers] of [
    ['JSON', '{"a":1}', { 'content-type': 'application/json' }],
    ['broken JSON', '{"a"', { 'content-type': 'application/json' }],
    ['a form', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['no type', Buffer.from('bytes'), {}],
    ['nothing', '', {}],
  ] as const) {
    it(`comes as it was sent when it is ${what}`, async () => {
      const answer = await post('/v2/things/1/files/a', payload, headers)

      assert.deepEqual(answer, {
        status: 200,
        body: { params: { id: 1, path: 'a' }, body: {}, text: payload.toString() },
      })
    })
  }

  it('is too large by its declared length, and by what comes', async () => {
    const declared = await post('/v2/things/1/files/a', 'x'.repeat(11))
    const counted = await post('/v2/things/1/files/a', Readable.from(['x'.repeat(6), 'x'.repeat(6)]), {
      'transfer-encoding': 'chunked',
    })

    assert.deepEqual([declared.status, counted.status], [413, 413])
  })

  it('need not be read', async () => {
    assert.equal((await post('/v2/things/1/files/unread', 'x')).body, 'unread')
  })

  it('is none where others are', async () => {
    assert.deepEqual((await post('/v2/things', '{"a":1}')).body, { a: 1 })
    assert.equal((await post('/v2/things', '{"a"')).status, 400)
  })
})
