import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { createFileRepository, fetchPublished, syncToEnd, taskEnd } from '../support/content.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { waitUntil } from '../support/wait-until.ts'

const base = '/content/api/repositories'
const files = new Map<string, string>()
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')
let server: TestServer
let upstream: Server
let url: string
let hangs = false

before(async () => {
  server = await startTestServer()
  upstream = createServer((request, response) => {
    const lines = [...files].map(([name, text]) => `${name},${digestOf(text)},${text.length}\n`)
    if (request.url === '/PULP_MANIFEST') response.end(lines.join(''))
    else if (!hangs) response.end(files.get(request.url?.slice(1) ?? ''))
  }).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`
})
after(async () => {
  await server[Symbol.asyncDispose]()
  upstream.closeAllConnections()
  upstream.close()
})

function change(id: number, body: object) {
  return server.ask(`${base}/${id}`, { method: 'PUT', body })
}

async function run(id: number, operation: string, asking: { method?: string; body?: object } = {}) {
  const { status, body } = await server.ask(`${base}/${id}/${operation}`, { method: 'POST', ...asking })
  assert.equal(status, 202, JSON.stringify(body))
  return taskEnd(server, body.id)
}

async function unitIds(paths: readonly string[]): Promise<number[]> {
  const client = new pg.Client({ connectionString: server.database.url })
  await client.connect()
  try {
    const { rows } = await client.query('select unit_id from file_units where path = any($1)', [paths])
    return rows.map(({ unit_id }) => Number(unit_id))
  } finally {
    await client.end()
  }
}

describe('an attribute of a repository', () => {
  for (const [name, first, second, unset] of [
    ['description', 'one', 'two', null],
    ['url', 'http://one.example/', 'https://two.example/x/', null],
    ['unprotected', false, true, true],
    ['mirror_on_sync', false, true, true],
    ['verify_ssl_on_sync', false, true, true],
    ['checksum_type', 'sha1', 'sha256', null],
    ['download_policy', 'immediate', 'on_demand', null],
    ['download_concurrency', 1, 19, null],
    ['arch', 'x86_64', 'aarch64', 'noarch'],
    ['http_proxy_policy', 'none', 'global_default_http_proxy', 'global_default_http_proxy'],
  ] as const) {
    it(`is kept, changed and unset: ${name}`, async () => {
      const repository = await createFileRepository(server, url, { [name]: first })
      const shown = await server.ask(`${base}/${repository.id}`)
      const changed = await change(repository.id, { [name]: second })
      const cleared = await change(repository.id, { repository: { [name]: null } })
      assert.deepEqual([repository[name], shown.body[name]], [first, first])
      assert.deepEqual([changed.status, changed.body[name], cleared.body[name]], [200, second, unset])
    })
  }

  it('can be a new name, but not a new label, product or type', async () => {
    const { id, label } = await createFileRepository(server, url)
    const renamed = await change(id, { name: 'Other', label: 'Other', content_type: 'yum', product_id: 1 })
    const nothing = await change(id, { label: 'Other', unheard_of: 1 })

    assert.deepEqual([renamed.body.name, renamed.body.label, renamed.body.content_type], ['Other', label, 'file'])
    assert.equal(nothing.status, 400)
  })

  it('is never shown when it is a password, and goes with the user', async () => {
    const login = { upstream_username: 'me', upstream_password: 's3cret' }
    const { id } = await createFileRepository(server, url, login)
    const kept = await change(id, { upstream_username: 'you' })
    const gone = await change(id, { upstream_username: '', upstream_password: '' })

    assert.doesNotMatch(JSON.stringify(kept.body), /s3cret/)
    assert.deepEqual([kept.body.upstream_username, kept.body.upstream_auth_exists], ['you', true])
    assert.deepEqual([gone.body.upstream_username, gone.body.upstream_password_exists], [null, false])
  })

  for (const [type, attributes, wrong] of [
    ['file', { url: 'ftp://x/', gpg_key_id: 7, http_proxy_id: 8 }, ['url', 'gpg_key_id', 'http_proxy_id']],
    ['file', { download_concurrency: 20 }, ['download_concurrency']],
    ['file', { checksum_type: 'md5', arch: 5, http_proxy_policy: 'x' }, ['checksum_type', 'arch', 'http_proxy_policy']],
    ['file', { checksum_type: 'sha1', download_policy: 'on_demand' }, ['checksum_type']],
    ['file', { upstream_password: 'x' }, ['upstream_username']],
    ['file', { upstream_username: 'x' }, ['upstream_password']],
    ['file', { deb_releases: 'x', includes: ['y'] }, ['deb_releases', 'includes']],
    ['yum', { os_versions: ['os-7', 'os-8'] }, ['os_versions']],
    ['yum', { os_versions: ['os-9'], ignorable_content: ['rpm'] }, ['os_versions[0]', 'ignorable_content[0]']],
    ['docker', { url: 'https://x/' }, ['docker_upstream_name', 'content_type']],
    ['docker', { docker_upstream_name: 'A/b' }, ['docker_upstream_name', 'content_type']],
    ['ostree', { ostree_upstream_sync_policy: 'custom' }, ['url', 'ostree_upstream_sync_depth', 'content_type']],
    [
      'ansible_collection',
      { url: 'https://x/y', ansible_collection_auth_url: 'z' },
      ['url', 'ansible_collection_auth_token', 'content_type'],
    ],
    [
      'ansible_collection',
      { ansible_collection_requirements: 'x' },
      ['ansible_collection_requirements', 'content_type'],
    ],
    ['python', {}, ['content_type']],
    ['deb', {}, ['content_type']],
  ] as const) {
    it(`is refused by its name: ${type} ${JSON.stringify(attributes)}`, async () => {
      const body = { product_id: 1, name: 'No', content_type: type, ...attributes }
      const answer = await server.ask(base, { method: 'POST', body })

      assert.equal(answer.status, 422, JSON.stringify(answer.body))
      assert.deepEqual(Object.keys(answer.body.errors).sort(), [...wrong].sort())
    })
  }
})

describe('a repository', () => {
  it('is shown with all counts, and listed in every scope', async () => {
    const repository = await createFileRepository(server, url, { description: 'to be found' })
    const environment = repository.environment.id
    const paths = [
      base,
      '/content/api/content_views/1/repositories',
      '/content/api/organizations/1/repositories',
      `/content/api/organizations/1/environments/${environment}/repositories`,
      `/content/api/products/${repository.product.id}/repositories`,
      `/content/api/environments/${environment}/products/${repository.product.id}/repositories`,
    ]
    const lists = await Promise.all(paths.map((path) => server.ask(`${path}?description=to%20be%20found`)))

    assert.equal(Object.keys(repository.content_counts).length, 13)
    for (const { body } of lists) {
      assert.deepEqual(
        body.results?.map(({ id }: { id: number }) => id),
        [repository.id],
        JSON.stringify(body),
      )
    }
    assert.equal((await server.ask(`${base}/${repository.id}?organization_id=99`)).status, 404)
    assert.equal((await server.ask('/content/api/content_views/99/repositories')).status, 404)
  })

  it('has types of which some can be created', async () => {
    const all = await server.ask(`${base}/repository_types`)
    const creatable = await server.ask(`${base}/repository_types?creatable=true`)

    assert.equal(all.body.length, 7)
    assert.deepEqual(creatable.body.map(({ id }: { id: string }) => id).sort(), ['file', 'yum'])
  })

  it('has no GPG key, which anybody may know', async () => {
    const { id } = await createFileRepository(server, url)
    const none = await server.ask(`${base}/${id}/gpg_key_content`, { as: null })
    const unknown = await server.ask(`${base}/999999/gpg_key_content`, { as: null })
    assert.deepEqual([none.status, none.body], [404, ''])
    assert.deepEqual([unknown.status, typeof unknown.body.displayMessage], [404, 'string'])
  })
})

describe('an operation on a repository', () => {
  before(() => {
    for (const name of ['a', 'b', 'c']) files.set(name, `bytes of ${name}`)
  })

  it('republishes', async () => {
    const repository = await createFileRepository(server, url)
    const task = await run(repository.id, 'republish', { method: 'PUT' })

    assert.equal(task.result, 'success', JSON.stringify(task.humanized))
    assert.equal((await fetchPublished(server, repository, 'PULP_MANIFEST')).status, 200)
  })

  it('syncs from elsewhere once, and removes nothing when it is incremental', async () => {
    const repository = await createFileRepository(server, url)
    await syncToEnd(server, repository.id)
    files.set('d', 'more')
    files.delete('c')
    const task = await run(repository.id, 'sync', { body: { source_url: url, incremental: true } })
    const served = await Promise.all(['c', 'd'].map((name) => fetchPublished(server, repository, name)))
    const mirrored = await run(repository.id, 'sync')
    const gone = await fetchPublished(server, repository, 'c')
    files.set('c', 'bytes of c')

    assert.deepEqual([task.output.added, task.output.removed], [1, 0])
    assert.deepEqual(
      served.map(({ status }) => status),
      [200, 200],
    )
    assert.deepEqual([mirrored.output.removed_names, gone.status], [['c'], 404])
  })

  it('refuses sync options that make no sense', async () => {
    const { id } = await createFileRepository(server, url)
    for (const body of [{ source_url: 'x' }, { skip_metadata_check: true }, { validate_contents: 1 }]) {
      const answer = await server.ask(`${base}/${id}/sync`, { method: 'POST', body })
      assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [422, Object.keys(body)])
    }
  })

  it('repairs damaged bytes of units and metadata, and names what it cannot', async () => {
    const repository = await createFileRepository(server, url)
    await syncToEnd(server, repository.id)
    const manifest = await (await fetchPublished(server, repository, 'PULP_MANIFEST')).text()
    const damage = (text: string) => {
      const digest = digestOf(text)
      const folder = join(server.folder, 'data', 'blobs')
      return writeFile(join(folder, digest.slice(0, 2), digest), 'x'.repeat(text.length))
    }
    for (const text of ['bytes of a', 'bytes of b', manifest]) await damage(text)
    files.delete('b')

    const task = await run(repository.id, 'verify_checksum')
    files.set('b', 'bytes of b')

    assert.equal(task.result, 'warning', JSON.stringify(task))
    assert.deepEqual([task.output.repaired.sort(), task.output.unrepairable], [['PULP_MANIFEST', 'a'], ['b']])
    assert.equal(await (await fetchPublished(server, repository, 'a')).text(), 'bytes of a')
    assert.equal(await (await fetchPublished(server, repository, 'PULP_MANIFEST')).text(), manifest)
    assert.equal((await run(repository.id, 'verify_checksum')).result, 'success')
  })

  it('removes units by any of the three addresses, of the kind that is said or meant, whatever is said of capsules', async () => {
    const names = ['r1', 'r2', 'r3']
    for (const name of names) files.set(name, `bytes of ${name}`)
    const repository = await createFileRepository(server, url)
    await syncToEnd(server, repository.id)
    const [first, second, third] = await unitIds(names)
    for (const name of names) files.delete(name)
    for (const [operation, body] of [
      ['remove_content', { ids: [first], content_type: 'file', sync_capsule: false }],
      ['remove_packages', { ids: [second], sync_capsule: true }],
      ['remove_docker_manifests', { ids: [third], content_type: null }],
    ] as const) {
      const task = await run(repository.id, operation, { method: 'PUT', body })
      assert.deepEqual([task.result, task.output.removed], ['success', 1], operation)
    }
    const body = { ids: [first], content_type: 'rpm' }
    const refused = await server.ask(`${base}/${repository.id}/remove_content`, { method: 'PUT', body })
    assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [422, ['content_type']])
  })

  for (const mirrors of [true, false]) {
    it(`removes units, which a sync ${mirrors ? 'brings' : 'does not bring'} back (mirror: ${mirrors})`, async () => {
      const repository = await createFileRepository(server, url, { mirror_on_sync: mirrors })
      await syncToEnd(server, repository.id)
      const ids = await unitIds(['a'])
      const task = await run(repository.id, 'remove_content', { method: 'PUT', body: { ids: ids.map(String) } })
      const again = await server.ask(`${base}/${repository.id}/remove_packages`, { method: 'PUT', body: { ids } })
      const gone = await fetchPublished(server, repository, 'a')
      await syncToEnd(server, repository.id)
      const after = await fetchPublished(server, repository, 'a')
      assert.deepEqual([task.result, task.output.removed, gone.status], ['success', 1, 404])
      assert.deepEqual([again.status, Object.keys(again.body.errors)], [422, ['ids']])
      assert.equal(after.status, mirrors ? 200 : 404)
    })
  }

  it('deletes, also while a sync runs, and leaves nothing served', async () => {
    const repository = await createFileRepository(server, url)
    await syncToEnd(server, repository.id)
    hangs = true
    files.set('e', 'never sent')
    const { body: task } = await server.ask(`${base}/${repository.id}/sync`, { method: 'POST' })
    await waitUntil('the sync runs', async () => {
      return (await server.ask(`/foreman_tasks/api/tasks/${task.id}`)).body.state === 'running'
    })
    const deleted = await server.ask(`${base}/${repository.id}`, { method: 'DELETE' })
    hangs = false
    files.delete('e')

    assert.deepEqual([deleted.status, deleted.body], [200, {}])
    assert.equal((await fetchPublished(server, repository, 'a')).status, 404)
    assert.equal((await server.ask(`${base}/${repository.id}`)).status, 404)
    assert.equal((await taskEnd(server, task.id)).result, 'cancelled')
  })
})
