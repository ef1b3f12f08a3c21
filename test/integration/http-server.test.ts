import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { lacksOpenssl, makeCertificates } from '../support/certificates.ts'
import { askRaw } from '../support/raw-http.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer
before(async () => {
  server = await startTestServer({ BACKHAUL_CORS_ORIGINS: 'https://lab.example,http://127.0.0.1:5173' })
})
after(() => server[Symbol.asyncDispose]())

const nobody = { as: null }

describe('the service addresses', () => {
  for (const path of ['/healthz', '/readyz']) {
    it(`say ok at ${path} without a login`, async () => {
      const { status, body } = await server.ask(path, nobody)

      assert.equal(status, 200)
      assert.deepEqual(body, { status: 'ok' })
    })
  }

  it('show metrics to administrators only', async () => {
    await server.ask('/api/users', { method: 'POST', body: { login: 'plain', password: 'plain password' } })

    const [metrics, plain, none] = [
      await server.ask('/metrics'),
      await server.ask('/metrics', { as: 'plain:plain password' }),
      await server.ask('/metrics', nobody),
    ]

    assert.deepEqual([metrics.status, plain.status, none.status], [200, 403, 401])
    assert.match(metrics.headers.get('content-type') ?? '', /^text\/plain/)
    assert.match(metrics.body, /^backhaul_http_request_duration_seconds_count\{.*route="\/readyz".*\} \d+$/m)
  })

  it('document every address in OpenAPI 3.1 and on a page without scripts', async () => {
    const { body: openApi } = await server.ask('/docs/openapi.json')
    const page = await server.ask('/docs')

    assert.equal((await server.ask('/docs', nobody)).status, 401)
    assert.equal(openApi.openapi, '3.1.0')
    for (const path of [
      '/v2/projects/{project_id}/links',
      '/content/api/repositories',
      '/foreman_tasks/api/tasks/{id}',
      '/api/users',
      '/readyz',
    ]) {
      assert.ok(Object.hasOwn(openApi.paths, path), path)
      assert.ok(page.body.includes(`<code>${path}</code>`), path)
    }
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.doesNotMatch(page.body, /<script|https?:\/\//)
  })

  it('describe each parameter of a path, and no other', async () => {
    const { body: openApi } = await server.ask('/docs/openapi.json')

    for (const [path, operations] of Object.entries<Record<string, { parameters: { name: string; in: string }[] }>>(
      openApi.paths,
    )) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()
      for (const { parameters } of Object.values(operations)) {
        const described = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
        assert.deepEqual(described.sort(), inPath, path)
      }
    }
  })
})

describe('HEAD', () => {
  for (const path of ['/readyz', '/v2/projects', '/content/api/products', '/docs']) {
    it(`answers ${path} as GET does, without a body`, async () => {
      const [head, get] = [await server.ask(path, { method: 'HEAD' }), await server.ask(path)]

      assert.equal(head.status, 200)
      assert.equal(head.body, '')
      assert.equal(head.headers.get('content-type'), get.headers.get('content-type'))
      assert.equal(head.headers.get('content-length'), get.headers.get('content-length'))
    })
  }

  it('asks for a login as GET does', async () => {
    const { status, body } = await server.ask('/v2/projects', { method: 'HEAD', as: null })

    assert.deepEqual([status, body], [401, ''])
  })

  it('is refused where there is no GET', async () => {
    const { status, headers } = await server.ask('/content/api/repositories/1/sync', { method: 'HEAD' })

    assert.deepEqual([status, headers.get('allow')], [405, 'POST'])
  })
})

describe('a page of another origin', () => {
  function preflight(origin: string, path = '/v2/projects') {
    return server.ask(path, {
      method: 'OPTIONS',
      as: null,
      headers: { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' },
    })
  }

  for (const origin of ['https://lab.example', 'http://127.0.0.1:5173']) {
    it(`at ${origin} may call the API`, async () => {
      const before = await preflight(origin)
      const { status, headers } = await server.ask('/v2/projects', { headers: { origin } })

      assert.equal(before.status, 204)
      assert.equal(before.headers.get('access-control-allow-origin'), origin)
      assert.match(before.headers.get('access-control-allow-methods') ?? '', /PUT/)
      assert.equal(before.headers.get('access-control-allow-headers'), 'authorization')
      assert.equal(status, 200)
      assert.equal(headers.get('access-control-allow-origin'), origin)
    })
  }

  for (const origin of [
    'https://evil.example',
    'http://lab.example',
    'https://lab.example.evil.example',
    'null',
    '*',
  ]) {
    it(`at ${origin} may not`, async () => {
      const before = await preflight(origin)
      const { headers } = await server.ask('/v2/projects', { headers: { origin } })

      assert.equal(before.status, 403)
      assert.equal(before.headers.get('access-control-allow-origin'), null)
      assert.equal(headers.get('access-control-allow-origin'), null)
    })
  }

  it('gets an answer that caches keep apart by origin, also when the first asker had none', async () => {
    const { headers } = await server.ask('/v2/projects')

    assert.equal(headers.get('vary'), 'Origin')
  })

  it('sees errors as well', async () => {
    const { status, headers } = await server.ask('/v2/projects', {
      as: null,
      headers: { origin: 'https://lab.example' },
    })

    assert.equal(status, 401)
    assert.equal(headers.get('access-control-allow-origin'), 'https://lab.example')
  })

  it('asks for OPTIONS without a preflight like for any other method', async () => {
    assert.equal((await server.ask('/v2/projects', { method: 'OPTIONS' })).status, 405)
  })
})

describe('every answer', () => {
  it('has a request id of its own, whatever the asker sent', async () => {
    const ids = new Set<string>()
    for (const path of ['/readyz', '/v2/projects', '/nothing', '/v2/%zz']) {
      const { headers } = await server.ask(path, { headers: { 'x-request-id': 'mine' } })
      ids.add(headers.get('x-request-id') ?? '')
    }

    assert.equal(ids.size, 4)
    for (const id of ids) assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })

  it('is the same with a slash at the end of the address', async () => {
    assert.equal((await server.ask('/v2/projects/')).status, 200)
  })

  it('keeps the connection for the next request', async () => {
    const answers = await askRaw(
      server.api,
      'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )

    assert.equal(answers.match(/HTTP\/1\.1 200 OK/g)?.length, 2)
  })
})

describe('with a certificate', { skip: lacksOpenssl }, () => {
  let folder: string
  let ca: string
  let secure: TestServer
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backhaul-tls-'))
    const certificates = makeCertificates()
    ca = certificates.ca
    await writeFile(join(folder, 'server.crt'), certificates.server.certificate)
    await writeFile(join(folder, 'server.key'), certificates.server.key)
    secure = await startTestServer({
      BACKHAUL_TLS_CERT: join(folder, 'server.crt'),
      BACKHAUL_TLS_KEY: join(folder, 'server.key'),
    })
  })
  after(async () => {
    await secure[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  function askSecurely(url: string, path: string): Promise<number | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
    const { port } = new URL(url)
    const headers = { authorization: `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}` }
    request({ host: '127.0.0.1', servername: 'localhost', port, path, ca, headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
    return promise
  }

  it('both listeners speak HTTPS and say so in their URLs', async () => {
    assert.match(secure.api, /^https:\/\/127\.0\.0\.1:\d+$/)
    assert.match(secure.content, /^https:\/\/127\.0\.0\.1:\d+$/)
    assert.equal(await askSecurely(secure.api, '/v2/projects'), 200)
    assert.equal(await askSecurely(secure.content, '/content/x'), 404)
  })

  it('a request without encryption gets nothing', async () => {
    const answer = await askRaw(secure.api, 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')

    assert.doesNotMatch(answer, /200 OK/)
  })
})

describe('what cannot be read as HTTP', () => {
  for (const [what, bytes, status] of [
    ['no request at all', 'nonsense\r\n\r\n', 400],
    ['more headers than are taken', `GET /healthz?${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ] as const) {
    it(`is ${status} and the end of the connection: ${what}`, async () => {
      const text = await askRaw(server.api, bytes)

      assert.match(text, new RegExp(`^HTTP/1.1 ${status} `))
      assert.match(text, /^connection: close\r$/im)
      const [, body = ''] = text.split('\r\n\r\n')
      assert.equal(typeof JSON.parse(body).error.message, 'string')
    })
  }
})
