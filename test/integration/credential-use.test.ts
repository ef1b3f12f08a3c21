import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { RequestListener } from 'node:http'
import type { ServerOptions } from 'node:https'
import { after, before, describe, it } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { type Certificates, lacksOpenssl, makeCertificates } from '../support/certificates.ts'
import { createFileRepository, syncToEnd, taskEnd } from '../support/content.ts'
import { messageIn } from '../support/error-answers.ts'
import type { Json } from '../support/json.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { startUpstream } from '../support/upstream-server.ts'

const credentials = '/content/api/content_credentials'
const repositories = '/content/api/repositories'
const products = '/content/api/products'
const armor = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----\n'
const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server[Symbol.asyncDispose]())

let made = 0

async function create(path: string, body: object): Promise<Json> {
  const answer = await server.ask(path, { method: 'POST', body })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

function credential(contentType: 'gpg_key' | 'cert', content = contentType === 'cert' ? pem : armor, more = {}) {
  made += 1
  const name = `Credential ${made}`
  return create(credentials, { organization_id: 1, name, content_type: contentType, content, ...more })
}

const put = (path: string, body: object) => server.ask(path, { method: 'PUT', body })
const remove = (path: string) => server.ask(path, { method: 'DELETE' })

/** Each use with the kind that it takes, and where a credential shows it. */
const uses = [
  ['gpg_key', 'gpg_key', 'gpg_key_products', 'gpg_key_repos'],
  ['ssl_ca_cert', 'cert', 'ssl_ca_products', 'ssl_ca_root_repos'],
  ['ssl_client_cert', 'cert', 'ssl_client_products', 'ssl_client_root_repos'],
  ['ssl_client_key', 'cert', 'ssl_key_products', 'ssl_key_root_repos'],
] as const

describe('a repository', () => {
  for (const [use, kind, ofProducts, ofRepositories] of uses) {
    it(`uses a credential as its ${use}, which shows it and cannot be deleted until then`, async () => {
      const used = await credential(kind)
      const repository = await createFileRepository(server, 'http://one.example/', { [`${use}_id`]: used.id })

      assert.deepEqual([repository[`${use}_id`], repository[use]], [used.id, { id: used.id, name: used.name }])
      const shown = await server.ask(`${credentials}/${used.id}`)
      assert.deepEqual(shown.body[ofRepositories], [{ id: repository.id, name: repository.name }])
      assert.deepEqual(shown.body[ofProducts], [])
      const listed = await server.ask(`${credentials}?organization_id=1&name=${encodeURIComponent(used.name)}`)
      assert.deepEqual(listed.body.results, [shown.body])
      const refused = await remove(`${credentials}/${used.id}`)
      assert.match(messageIn(refused, credentials, 409), /repository "Files"/)

      const unset = await put(`${repositories}/${repository.id}`, { [`${use}_id`]: null })
      assert.equal(unset.body[`${use}_id`], null)
      assert.equal((await remove(`${credentials}/${used.id}`)).status, 200)
    })

    it(`refuses as its ${use} a credential of another kind, another organization, or none`, async () => {
      const organization = await create('/content/api/organizations', { name: `Other ${use}` })
      const elsewhere = await credential(kind, undefined, { organization_id: organization.id })
      const other = await credential(kind === 'cert' ? 'gpg_key' : 'cert')
      const repository = await createFileRepository(server, 'http://one.example/')
      for (const id of [elsewhere.id, other.id, 999_999]) {
        const refused = await put(`${repositories}/${repository.id}`, { [`${use}_id`]: id })
        messageIn(refused, repositories, 422)
        assert.deepEqual(Object.keys(refused.body.errors), [`${use}_id`])
      }
    })
  }

  it('shows the text of its key to everybody, and nothing without one', async () => {
    const key = await credential('gpg_key')
    const repository = await createFileRepository(server, 'http://one.example/', { gpg_key_id: key.id })
    const path = `${repositories}/${repository.id}/gpg_key_content`

    const shown = await server.ask(path, { as: null })
    assert.deepEqual([shown.status, shown.body], [200, armor])
    assert.equal(shown.headers.get('content-type'), 'text/plain; charset=utf-8')
    await put(`${repositories}/${repository.id}`, { gpg_key_id: null })
    const none = await server.ask(path, { as: null })
    assert.deepEqual([none.status, none.body], [404, ''])
  })

  it('begins with the credentials of its product, unless it names its own or none', async () => {
    const [key, other, ca] = [await credential('gpg_key'), await credential('gpg_key'), await credential('cert')]
    const body = { organization_id: 1, name: 'With credentials', gpg_key_id: key.id, ssl_ca_cert_id: ca.id }
    const product = await create(products, body)
    assert.deepEqual(product.gpg_key, { id: key.id, name: key.name })
    const make = (name: string, more: object) =>
      create(repositories, { product_id: product.id, content_type: 'file', name, ...more })

    const plain = await make('plain', {})
    const own = await make('own', { gpg_key_id: other.id, ssl_ca_cert_id: null })
    assert.deepEqual([plain.gpg_key_id, plain.ssl_ca_cert_id], [key.id, ca.id])
    assert.deepEqual([own.gpg_key_id, own.ssl_ca_cert_id], [other.id, null])

    await put(`${products}/${product.id}`, { gpg_key_id: null })
    assert.equal((await server.ask(`${repositories}/${plain.id}`)).body.gpg_key_id, key.id)
    const shown = await server.ask(`${credentials}/${ca.id}`)
    assert.deepEqual(shown.body.ssl_ca_products, [{ id: product.id, name: product.name }])
    assert.deepEqual(shown.body.ssl_ca_root_repos, [{ id: plain.id, name: 'plain' }])
  })
})

describe('a credential', () => {
  it('that is used keeps its type', async () => {
    const key = await credential('gpg_key')
    await createFileRepository(server, 'http://one.example/', { gpg_key_id: key.id })
    const refused = await put(`${credentials}/${key.id}`, { content_type: 'cert', content: pem })
    assert.match(messageIn(refused, credentials, 409), /change the type/)
    assert.equal((await put(`${credentials}/${key.id}`, { name: 'Renamed key' })).status, 200)
  })

  it('is attached or deleted, never both, when somebody does each at once', async () => {
    const repository = await createFileRepository(server, 'http://one.example/')
    const product = repository.product.id
    for (let round = 0; round < 15; round += 1) {
      const { id } = await credential('gpg_key')
      const [deleted, attached, toProduct] = await Promise.all([
        remove(`${credentials}/${id}`),
        put(`${repositories}/${repository.id}`, { gpg_key_id: id }),
        put(`${products}/${product}`, { gpg_key_id: id }),
      ])
      const outcome = [deleted.status, attached.status, toProduct.status].join()
      assert.ok(['200,422,422', '409,200,200', '409,200,422', '409,422,200'].includes(outcome), outcome)
      const there = (await server.ask(`${credentials}/${id}`)).status === 200
      const shown = (await server.ask(`${repositories}/${repository.id}`)).body
      assert.equal(shown.gpg_key_id === id, there)
      await put(`${repositories}/${repository.id}`, { gpg_key_id: null })
      await put(`${products}/${product}`, { gpg_key_id: null })
    }
  })
})

/** An upstream of one file with bytes that nobody else has. */
function oneFile(): RequestListener {
  made += 1
  const text = `file ${made}`
  const digest = createHash('sha256').update(text).digest('hex')
  return (request, response) => {
    response.end(request.url === '/PULP_MANIFEST' ? `a.txt,${digest},${text.length}\n` : text)
  }
}

describe('a sync over TLS', { skip: lacksOpenssl }, () => {
  let certified: Certificates
  before(() => {
    certified = makeCertificates()
  })

  async function syncing(tls: ServerOptions, attributes: Readonly<Record<string, unknown>>): Promise<Json> {
    await using upstream = await startUpstream(oneFile(), tls)
    const repository = await createFileRepository(server, `${upstream.url}/`, attributes)
    const task = await syncToEnd(server, repository.id)
    return { result: task.result, errors: task.humanized.errors.join('; '), requests: upstream.requests.length }
  }

  const strict = () => ({
    cert: certified.server.certificate,
    key: certified.server.key,
    ca: certified.ca,
    requestCert: true,
    rejectUnauthorized: true,
  })

  it('shows its client certificate to an upstream that asks for one', async () => {
    const ca = await credential('cert', certified.ca)
    const certificate = await credential('cert', certified.client.certificate)
    const key = await credential('cert', certified.client.key)
    const both = await credential('cert', certified.client.certificate + certified.client.key)

    const ids = { ssl_ca_cert_id: ca.id, ssl_client_cert_id: certificate.id, ssl_client_key_id: key.id }
    assert.deepEqual(await syncing(strict(), ids), { result: 'success', errors: '', requests: 2 })
    const one = { ssl_ca_cert_id: ca.id, ssl_client_cert_id: both.id }
    assert.deepEqual(await syncing(strict(), one), { result: 'success', errors: '', requests: 2 })
  })

  it('says what is missing without', async () => {
    const ca = await credential('cert', certified.ca)

    const withoutAuthority = await syncing(strict(), {})
    assert.equal(withoutAuthority.result, 'error')
    assert.match(withoutAuthority.errors, /unknown authority|self-signed/)
    const withoutCertificate = await syncing(strict(), { ssl_ca_cert_id: ca.id })
    assert.equal(withoutCertificate.result, 'error')
    assert.match(withoutCertificate.errors, /asks for a client certificate|closed the connection/)
  })

  it('shows its client certificate to its own upstream only', async () => {
    const ca = await credential('cert', certified.ca)
    const both = await credential('cert', certified.client.certificate + certified.client.key)
    await using own = await startUpstream(oneFile(), strict())
    const shown: boolean[] = []
    const listing = oneFile()
    const { server: pair } = certified
    await using other = await startUpstream(
      (request, response) => {
        shown.push(Object.keys((request.socket as TLSSocket).getPeerCertificate()).length > 0)
        listing(request, response)
      },
      { ...strict(), cert: pair.certificate, key: pair.key, rejectUnauthorized: false },
    )
    const ids = { ssl_ca_cert_id: ca.id, ssl_client_cert_id: both.id, verify_ssl_on_sync: false }
    const repository = await createFileRepository(server, `${own.url}/`, ids)
    const path = `${repositories}/${repository.id}/sync`
    const { body } = await server.ask(path, { method: 'POST', body: { source_url: `${other.url}/` } })
    assert.equal((await taskEnd(server, body.id)).result, 'success')
    assert.deepEqual(shown, [false, false])
  })

  it('takes any certificate when it is told not to look', async () => {
    const { certificate: cert, key } = certified.server
    const answer = await syncing({ cert, key }, { verify_ssl_on_sync: false })
    assert.deepEqual(answer, { result: 'success', errors: '', requests: 2 })
  })

  it('says what is wrong with a certificate that cannot be read', async () => {
    const broken = await credential('cert')
    const answer = await syncing(strict(), { ssl_ca_cert_id: broken.id })
    assert.equal(answer.result, 'error')
    assert.notEqual(answer.errors, 'Internal error')
  })
})
