import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { messageIn } from '../support/error-answers.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { form, multipart } from '../support/uploads.ts'

const base = '/content/api/content_credentials'
const armor = (text: string) => `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${text}\n-----END PGP PUBLIC KEY BLOCK-----\n`
const pem = (label: string) => `-----BEGIN ${label}-----\nAAAA\n-----END ${label}-----\n`

let server: TestServer
before(async () => {
  server = await startTestServer()
  for (const login of ['viewer', 'editor', 'manager', 'stranger']) {
    const { body } = await server.ask('/api/users', { method: 'POST', body: { login, password: 'a long password' } })
    if (login === 'stranger') continue
    await server.ask(`/content/api/organizations/1/members/${body.id}`, { method: 'PUT', body: { role: login } })
  }
})
after(() => server[Symbol.asyncDispose]())

const key = (name: string, more: object = {}) => ({
  organization_id: 1,
  name,
  content_type: 'gpg_key',
  content: armor('AAAA'),
  ...more,
})
const create = (body: object, as?: string) =>
  server.ask(base, { method: 'POST', body, ...(as ? { as: `${as}:a long password` } : {}) })

describe('content credentials', () => {
  it('are created, listed, shown, changed and deleted', async () => {
    const { status, body } = await create(key('Key'))
    assert.equal(status, 201, JSON.stringify(body))
    assert.deepEqual([body.name, body.content_type, body.content], ['Key', 'gpg_key', armor('AAAA')])
    assert.deepEqual(body.organization.id, 1)
    assert.deepEqual([body.gpg_key_products, body.gpg_key_repos, body.ssl_ca_root_repos], [[], [], []])

    const list = await server.ask(`${base}?organization_id=1&name=Key`)
    assert.deepEqual(list.body.results, [body])
    const changed = await server.ask(`${base}/${body.id}`, {
      method: 'PUT',
      body: { name: 'New', content: armor('BBBB') },
    })
    assert.deepEqual([changed.status, changed.body.name, changed.body.content], [200, 'New', armor('BBBB')])
    const sent = await server.ask(`${base}/${body.id}/content`, {
      method: 'POST',
      body: form([['content', armor('CCCC'), 'key.asc']]),
      headers: multipart,
    })
    assert.deepEqual([sent.status, sent.body.content], [200, armor('CCCC')])
    assert.equal((await server.ask(`${base}/${body.id}/content`)).body, armor('CCCC'))
    const deleted = await server.ask(`${base}/${body.id}`, { method: 'DELETE' })
    assert.deepEqual([deleted.status, deleted.body], [200, {}])
    messageIn(await server.ask(`${base}/${body.id}`), base, 404)
  })

  for (const [what, body, field] of [
    ['a name that is taken', key('Taken'), 'name'],
    ['an unknown kind', key('x', { content_type: 'ssh' }), 'content_type'],
    ['a certificate as key', key('x', { content: pem('CERTIFICATE') }), 'content'],
    ['a key as certificate', key('x', { content_type: 'cert' }), 'content'],
    ['half a certificate', key('x', { content_type: 'cert', content: '-----BEGIN CERTIFICATE-----\nAAAA' }), 'content'],
    ['nothing as content', key('x', { content: '' }), 'content'],
    ['no organization', { ...key('x'), organization_id: undefined }, 'organization_id'],
  ] as const) {
    it(`are refused with 422 for ${what}`, async () => {
      await create(key('Taken'))
      const answer = await create(body)
      messageIn(answer, base, 422)
      assert.deepEqual(Object.keys(answer.body.errors), [field])
    })
  }

  it('are seen by members, handled by managers, and not there for others', async () => {
    const { body } = await create(key('Rights'), 'manager')
    for (const [login, shown, changed] of [
      ['viewer', 200, 403],
      ['editor', 200, 403],
      ['stranger', 404, 404],
    ] as const) {
      const as = `${login}:a long password`
      const path = `${base}/${body.id}`
      assert.equal((await server.ask(path, { as })).status, shown)
      for (const asking of [
        { method: 'PUT', body: { name: 'x' }, as },
        { method: 'DELETE', as },
      ])
        assert.equal((await server.ask(path, asking)).status, changed)
      const sent = { method: 'POST', body: form([['content', armor('x'), 'x']]), headers: multipart, as }
      assert.equal((await server.ask(`${path}/content`, sent)).status, changed)
      assert.equal((await create(key('mine'), login)).status, changed)
    }
  })

  it('show private keys to managers alone', async () => {
    const { body } = await create(key('Private', { content_type: 'cert', content: pem('PRIVATE KEY') }))
    const as = 'viewer:a long password'
    const shown = await server.ask(`${base}/${body.id}`, { as })
    const list = await server.ask(`${base}?organization_id=1&full_result=true`, { as })
    const text = await server.ask(`${base}/${body.id}/content`, { as })
    assert.equal(shown.body.content, null)
    assert.ok(!JSON.stringify(list.body).includes('PRIVATE KEY'))
    assert.equal(text.status, 403)
    assert.equal((await server.ask(`${base}/${body.id}`)).body.content, pem('PRIVATE KEY'))
  })
})
