import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { messageIn } from '../support/error-answers.ts'
import { type Answer, type Asking, ask, startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
  await server.ask('/api/users', { method: 'POST', body: { login: 'plain', password: 'plain password' } })
})
after(() => server[Symbol.asyncDispose]())

const plain = 'plain:plain password'

describe('an error of the content API', () => {
  const products = '/content/api/products'

  it('is 403 with the missing permission', async () => {
    const { body: user } = await server.ask('/api/current_user', { as: plain })
    await server.ask(`/content/api/organizations/1/members/${user.id}`, { method: 'PUT', body: { role: 'viewer' } })

    const answer = await server.ask(products, { method: 'POST', body: { organization_id: 1, name: 'No' }, as: plain })

    messageIn(answer, products, 403)
    assert.deepEqual(answer.body.error, {
      message: 'Access denied',
      details: 'Missing one of the required permissions: create_products',
      missing_permissions: ['create_products'],
    })
  })

  it('is 422 with the messages of each attribute', async () => {
    const answer = await server.ask(products, { method: 'POST', body: { name: '', organization_id: 'x' } })

    messageIn(answer, products, 422)
    assert.deepEqual(Object.keys(answer.body.errors).sort(), ['name', 'organization_id'])
    assert.deepEqual(answer.body.errors.organization_id, ['must be a number'])
  })

  it('is 409 or 422 naming the attribute for a name that is taken', async () => {
    const asking = { method: 'POST', body: { organization_id: 1, name: 'Taken' } }
    await server.ask(products, asking)

    const answer = await server.ask(products, asking)

    assert.ok(answer.status === 409 || answer.status === 422)
    assert.deepEqual(answer.body.errors.name, ['has already been taken'])
  })

  it('is 409 for a login that is taken', async () => {
    const answer = await server.ask('/api/users', {
      method: 'POST',
      body: { login: 'PLAIN', password: 'plain password' },
    })

    messageIn(answer, '/api/users', 409)
  })

  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'none',
    '',
    ';;;',
  ]) {
    it(`is 415 for a body of type "${type}"`, async () => {
      const answer = await server.ask(products, { method: 'POST', body: 'name=x', headers: { 'content-type': type } })

      messageIn(answer, products, 415)
    })
  }

  for (const [what, text, field] of [
    ['NUL in a text', '{"name": "a\\u0000b", "organization_id": 1}', 'name'],
    ['half a surrogate pair', '{"name": "\\udfff", "organization_id": 1}', 'name'],
    ['an object as name', '{"name": {"constructor": 1}, "organization_id": 1}', 'name'],
    ['a huge number', '{"name": "a", "organization_id": 1e300}', 'organization_id'],
    ['a fraction as id', '{"name": "a", "organization_id": "1.5"}', 'organization_id'],
    ['a list', '[{"name": "a"}]', 'base'],
    ['__proto__ with the attributes', '{"__proto__": {"name": "a", "organization_id": 1}}', 'name'],
  ] as const) {
    it(`is 422 for ${what}`, async () => {
      const answer = await server.ask(products, { method: 'POST', body: text })

      messageIn(answer, products, 422)
      assert.ok(Object.hasOwn(answer.body.errors, field), JSON.stringify(answer.body))
    })
  }

  it('is none for attributes that are flat, wrapped, or numbers and booleans as text', async () => {
    const flat = { organization_id: '1', name: 'Flat' }
    const { status, body } = await server.ask(products, { method: 'POST', body: flat })
    const wrapped = await server.ask(products, {
      method: 'POST',
      body: { product: { organization_id: 1, name: 'Wrapped' } },
    })
    const repository = await server.ask('/content/api/repositories', {
      method: 'POST',
      body: {
        product_id: String(body.id),
        repository: { name: 'R', content_type: 'file', unprotected: '0', download_concurrency: '7' },
      },
    })

    assert.deepEqual([status, wrapped.status, repository.status], [201, 201, 201], JSON.stringify(repository.body))
    assert.equal(body.organization_id, 1)
    assert.equal(repository.body.unprotected, false)
  })

  it('is 429 after too many wrong passwords, for that login alone', async () => {
    const wrong: Asking = { as: 'guessed:wrong password' }
    const statuses: number[] = []
    for (let i = 0; i < 11; i += 1) statuses.push((await server.ask(products, wrong)).status)

    const [content, links] = [await server.ask(products, wrong), await server.ask('/v2/projects', wrong)]

    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429])
    messageIn(content, products, 429)
    messageIn(links, '/v2', 429)
    assert.equal((await server.ask(products)).status, 200)
  })
})

describe('an error of the content listener', () => {
  async function askContent(path: string, asking: Asking = {}): Promise<Answer<string>> {
    return ask(new URL(path, server.content), { as: null, ...asking })
  }

  for (const [method, path, status] of [
    ['GET', '/content/Default_Organization/Library/custom/No/Such/', 404],
    ['GET', '/content/Default_Organization/Library/custom/No/Such/%2e%2e/%2e%2e/etc/passwd', 404],
    ['GET', '/content/%00', 404],
    ['GET', '/content/%ff%zz', 400],
    ['GET', '/content/api/products', 404],
    ['GET', '/v2/projects', 404],
    ['GET', '/', 404],
    ['POST', '/content/Default_Organization/Library/custom/No/Such/', 405],
    ['DELETE', '/content/x', 405],
  ] as const) {
    it(`is ${status} as text for ${method} ${path}`, async () => {
      const { status: given, body, headers } = await askContent(path, { method })

      assert.equal(given, status)
      assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8')
      assert.match(body, /^Cannot [^\n]*\n$/)
    })
  }

  it('is 401 as text for a protected repository, and 404 for strangers with a login', async () => {
    const product = await server.ask('/content/api/products', {
      method: 'POST',
      body: { organization_id: 1, name: 'Hidden' },
    })
    const { body } = await server.ask('/content/api/repositories', {
      method: 'POST',
      body: { product_id: product.body.id, name: 'Files', content_type: 'file', unprotected: false },
    })
    await server.ask('/api/users', { method: 'POST', body: { login: 'stranger', password: 'strange password' } })
    const path = `/content/${body.relative_path}/`

    const [nobody, stranger] = [await askContent(path), await askContent(path, { as: 'stranger:strange password' })]

    assert.deepEqual([nobody.status, stranger.status], [401, 404])
    assert.match(nobody.headers.get('www-authenticate') ?? '', /^Basic /)
    assert.equal(nobody.headers.get('content-type'), 'text/plain; charset=utf-8')
  })
})
