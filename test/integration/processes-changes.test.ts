import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createFileRepository, fetchPublished, syncToEnd } from '../support/content.ts'
import { FileUpstream } from '../support/file-upstream.ts'
import type { Json } from '../support/json.ts'
import { openSharedGround, type ServerProcess, type SharedGround } from '../support/server-process.ts'
import { form, multipart, repositories, served } from '../support/uploads.ts'
import { startProxy } from '../support/upstream-server.ts'
import { waitUntil } from '../support/wait-until.ts'

/** What is promised is a second; a busy machine gets a little more. */
const soonMs = 3000

describe('a change through one process', () => {
  let ground: SharedGround
  let upstream: FileUpstream
  let changer: ServerProcess
  /** Serves, and runs all tasks. */
  let other: ServerProcess
  before(async () => {
    ground = await openSharedGround()
    upstream = await FileUpstream.start()
    ;[changer, other] = await Promise.all([ground.start('api,content'), ground.start('api,content,worker')])
  })
  after(async () => {
    await ground[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  async function change(method: string, path: string, body?: object): Promise<Json> {
    const answer = await changer.ask(path, { method, ...(body === undefined ? {} : { body }) })
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer.body
  }

  /** What the other process gives for a file becomes this soon: its bytes, or a status. */
  async function becomes(repository: Json, name: string, wanted: string | number): Promise<void> {
    const isWanted = async () => String(await served(other, repository, name)) === String(wanted)
    await waitUntil(`${name} is ${wanted}`, isWanted, soonMs)
  }

  /** Asked for so often that the other process has the answer in memory. */
  async function makeHot(repository: Json, name: string, wanted: string): Promise<void> {
    await becomes(repository, name, wanted)
    for (let i = 0; i < 3; i += 1) assert.equal(String(await served(other, repository, name)), wanted)
  }

  let made = 0
  async function changeEverything(): Promise<void> {
    made += 1
    const folder = `changes-${made}`
    const repository = await createFileRepository(changer, upstream.publish(folder, { file: 'old' }))
    const path = `${repositories}/${repository.id}`
    await syncToEnd(changer, repository.id)
    await makeHot(repository, 'file', 'old')
    await makeHot(repository, 'PULP_MANIFEST', await manifest(repository))

    upstream.publish(folder, { file: 'new' })
    await syncToEnd(changer, repository.id)
    await becomes(repository, 'file', 'new')
    await makeHot(repository, 'file', 'new')

    await change('PUT', path, { unprotected: false })
    await becomes(repository, 'file', 401)
    await change('PUT', path, { unprotected: true })
    await makeHot(repository, 'file', 'new')

    await becomes(repository, 'sent', 404)
    const body = form([['content', 'sent', 'sent']])
    const sent = await changer.ask(`${path}/upload_content`, { method: 'POST', body, headers: multipart })
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
    await becomes(repository, 'sent', 'sent')

    await change('DELETE', path)
    await becomes(repository, 'file', 404)
    await becomes(repository, 'sent', 404)
  }

  async function manifest(repository: Json): Promise<string> {
    return (await fetchPublished(changer, repository, 'PULP_MANIFEST')).text()
  }

  it('of what is published, protected, uploaded or deleted shows in what the other serves', () => changeEverything())

  it('shows though the connection for announcements is lost again and again, and is made anew', async () => {
    const { pool } = ground.database.database
    const done = new AbortController()
    const losing = (async () => {
      let lost = 0
      while (!done.signal.aborted) {
        const { rowCount } = await pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and query ilike 'listen %'`,
        )
        lost += rowCount ?? 0
        await setTimeout(50)
      }
      return lost
    })()

    try {
      for (let round = 0; round < 2; round += 1) await changeEverything()
    } finally {
      done.abort()
    }

    assert.ok((await losing) > 2)
    await waitUntil('both listen again', async () => {
      const { rowCount } = await pool.query(
        `select from pg_stat_activity where datname = current_database() and query ilike 'listen %'`,
      )
      return rowCount === 2
    })
    await changeEverything()
  })

  it('of users, passwords and tokens holds for the next request of the other', async () => {
    const status = async (as: string) => (await other.ask('/api/current_user', { as })).status
    const user = await change('POST', '/api/users', { login: 'ann', password: 'first password' })
    assert.equal(await status('ann:first password'), 200)

    await change('PUT', `/api/users/${user.id}`, { password: 'second password' })
    assert.equal(await status('ann:first password'), 401)
    assert.equal(await status('ann:second password'), 200)

    const tokens = `/api/users/${user.id}/personal_access_tokens`
    const token = await change('POST', tokens, { name: 'laptop' })
    assert.equal(await status(`ann:${token.token_value}`), 200)
    await change('DELETE', `${tokens}/${token.id}`)
    assert.equal(await status(`ann:${token.token_value}`), 401)

    await change('PUT', `/api/users/${user.id}`, { disabled: true })
    assert.equal(await status('ann:second password'), 401)
    await change('PUT', `/api/users/${user.id}`, { disabled: false })
    assert.equal(await status('ann:second password'), 200)
    await change('DELETE', `/api/users/${user.id}`)
    assert.equal(await status('ann:second password'), 401)
  })

  it('of members holds for the next request to a protected repository', async () => {
    const repository = await createFileRepository(changer, upstream.publish('members', { file: 'bytes' }), {
      unprotected: false,
    })
    await syncToEnd(changer, repository.id)
    const user = await change('POST', '/api/users', { login: 'bob', password: 'a long password' })
    const headers = { authorization: `Basic ${Buffer.from('bob:a long password').toString('base64')}` }
    const status = async () => (await fetchPublished(other, repository, 'file', { headers })).status
    assert.equal(await status(), 404)

    const member = `/content/api/organizations/1/members/${user.id}`
    await change('PUT', member, { role: 'viewer' })
    assert.equal(await status(), 200)
    await change('DELETE', member)
    assert.equal(await status(), 404)
  })

  it('of the default HTTP proxy holds for tasks and for files on demand of the other', async () => {
    await using proxy = await startProxy()
    const files = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, `bytes ${index}`]))
    const url = upstream.publish('proxied', files)
    const repository = await createFileRepository(changer, url, { download_policy: 'on_demand' })
    await syncToEnd(changer, repository.id)
    assert.equal(String(await served(other, repository, 'f0')), 'bytes 0')
    assert.equal(proxy.requests.length, 0)

    const { id } = await change('POST', '/api/http_proxies', { http_proxy: { name: 'Office', url: proxy.url } })
    await change('PUT', '/api/settings/content_default_http_proxy', { setting: { value: 'Office' } })

    let next = 1
    const isProxied = async () => {
      assert.equal(String(await served(other, repository, `f${next}`)), `bytes ${next}`)
      next = Math.min(next + 1, 99)
      await setTimeout(50)
      return proxy.requests.length > 0
    }
    await waitUntil('a file is fetched through the proxy', isProxied, soonMs)
    const before = proxy.requests.length
    assert.equal((await syncToEnd(changer, repository.id)).result, 'success')
    assert.ok(proxy.requests.length > before)

    await change('PUT', '/api/settings/content_default_http_proxy', { setting: { value: '' } })
    await change('DELETE', `/api/http_proxies/${id}`)
    assert.equal((await syncToEnd(changer, repository.id)).result, 'success')
  })

  it('of content credentials holds for the next request of the other', async () => {
    const key = (text: string) =>
      `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${text}\n-----END PGP PUBLIC KEY BLOCK-----\n`
    const { id } = await change('POST', '/content/api/content_credentials', {
      organization_id: 1,
      name: 'Key',
      content_type: 'gpg_key',
      content: key('old'),
    })
    const repository = await createFileRepository(changer, 'http://127.0.0.1:9/', { gpg_key_id: id })
    const shown = async () => (await other.ask(`${repositories}/${repository.id}/gpg_key_content`, { as: null })).body
    assert.equal(await shown(), key('old'))

    await change('PUT', `/content/api/content_credentials/${id}`, { content: key('new') })

    assert.equal(await shown(), key('new'))
  })
})
