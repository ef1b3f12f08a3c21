import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { messageIn } from '../support/error-answers.ts'
import { askRaw } from '../support/raw-http.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server[Symbol.asyncDispose]())

const huge = `{"name": "${'x'.repeat(1024 * 1024)}"}`

/** The four families of the API, each with an address that takes a body, and what is missing there. */
const families = [
  {
    name: '/v2',
    list: '/v2/projects',
    create: '/v2/projects',
    missing: '/v2/projects/6b0c0ef5-64b3-4b0c-9df0-4c8e1c8f3b1a',
  },
  {
    name: '/content/api',
    list: '/content/api/products',
    create: '/content/api/products',
    missing: '/content/api/products/4711',
  },
  { name: '/foreman_tasks/api', list: '/foreman_tasks/api/tasks', missing: '/foreman_tasks/api/tasks/4711' },
  { name: '/api', list: '/api/users', create: '/api/users', missing: '/api/users/4711' },
] as const

describe('an error', () => {
  for (const { name, list, missing, ...family } of families) {
    const create = 'create' in family ? family.create : undefined

    it(`is 401 without a login at ${name}`, async () => {
      const answer = await server.ask(list, { as: null })

      messageIn(answer, list, 401)
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic realm=/)
    })

    it(`is 401 with a wrong password at ${name}`, async () => {
      assert.match(
        messageIn(await server.ask(list, { as: `wrong${name}:password` }), list, 401),
        /^Unable to authenticate user/,
      )
    })

    it(`is 404 for what does not exist at ${name}`, async () => {
      messageIn(await server.ask(missing), list, 404)
    })

    it(`is 404 for an address that does not exist at ${name}`, async () => {
      messageIn(await server.ask(`${name}/nothing/of/the/kind?token=secret`), list, 404)
    })

    it(`is 405 with what is allowed for another method at ${name}`, async () => {
      const answer = await server.ask(list, { method: 'PATCH', body: {} })

      messageIn(answer, list, 405)
      assert.match(answer.headers.get('allow') ?? '', /GET/)
    })

    it(`is 400 for an address that cannot be decoded at ${name}`, async () => {
      const answer = await server.ask(`${name}/%ff%zz`)

      assert.equal(answer.status, 400)
      messageIn(answer, list, 400)
      assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
    })

    it(`is 404 for an address that is too long at ${name}`, async () => {
      messageIn(await server.ask(`${missing.slice(0, missing.lastIndexOf('/'))}/${'x'.repeat(2000)}`), list, 404)
    })

    if (create === undefined) continue

    it(`is 400 for a body that is no JSON at ${name}`, async () => {
      assert.match(messageIn(await server.ask(create, { method: 'POST', body: '{"name": ' }), create, 400), /not JSON/)
    })

    it(`is 400 for a body that is nested in fifty thousand lists at ${name}`, async () => {
      messageIn(
        await server.ask(create, { method: 'POST', body: '['.repeat(50_000) + ']'.repeat(50_000) }),
        create,
        400,
      )
    })

    it(`is 413 for a body of more than a megabyte at ${name}`, async () => {
      messageIn(await server.ask(create, { method: 'POST', body: huge }), create, 413)
    })
  }
})

describe('a query', () => {
  for (const { list } of families.filter(({ name }) => name !== '/v2')) {
    for (const query of [
      'page=1&page=2',
      'page=x',
      'page=0',
      'page=-1',
      'page=1.5',
      'per_page=99999999999999999999',
      'full_result=maybe',
      'full_result=True',
      'page=%00',
    ]) {
      it(`is refused with 422: ${list}?${query}`, async () => {
        messageIn(await server.ask(`${list}?${query}`), list, 422)
      })
    }

    for (const query of [
      'page=2&per_page=4294967296',
      'full_result=1',
      '__proto__=1&constructor=2',
      '%zz=%ff',
      'x=%00',
      '&&==&',
    ]) {
      it(`is heard or not heard, but does no harm: ${list}?${query}`, async () => {
        assert.equal((await server.ask(`${list}?${query}`)).status, 200)
      })
    }
  }
})

describe('a request that is no HTTP', () => {
  for (const [what, bytes] of [
    ['nonsense', 'hello there\r\n\r\n'],
    ['without a host', 'GET /readyz HTTP/1.1\r\n\r\n'],
    [
      'with two lengths',
      'POST /v2/projects HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab',
    ],
    ['with headers of twenty kilobytes', `GET /readyz HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ] as const) {
    it(`is refused with 4xx: ${what}`, async () => {
      assert.match(await askRaw(server.api, bytes), /^HTTP\/1\.1 4\d\d /)
    })
  }

  it('does not keep the server from serving others', async () => {
    assert.equal((await server.ask('/readyz', { as: null })).status, 200)
    assert.equal((await server.ask('/api/current_user', { as: `admin:${adminPassword}` })).status, 200)
  })
})
