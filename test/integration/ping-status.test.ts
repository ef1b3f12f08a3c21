import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server[Symbol.asyncDispose]())

const anyone = { as: null }

describe('the status', () => {
  it('is told to anyone, with a release that clients have no corrections for', async () => {
    const { status, body } = await server.ask('/api/status', anyone)

    assert.equal(status, 200)
    assert.deepEqual(body, { result: 'ok', status: 200, version: '3.8.0', api_version: 2 })
  })

  it('of the content API has the release and the time', async () => {
    const { status, body } = await server.ask('/content/api/status', anyone)

    assert.equal(status, 200)
    assert.equal(body.version, '4.2.0')
    assert.match(body.release, /^Backhaul \d+\.\d+\.\d+/)
    assert.match(body.timeUTC, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
  })
})

describe('a ping', () => {
  it('finds the database and the stored bytes', async () => {
    const { status, body } = await server.ask('/api/ping', anyone)

    assert.equal(status, 200)
    const { foreman, katello } = body.results
    assert.equal(foreman.database.active, true)
    assert.match(foreman.database.duration_ms, /^\d+$/)
    assert.equal(katello.status, 'ok')
    assert.deepEqual(Object.keys(katello.services), ['database', 'storage'])
  })

  it('of the content API has the same services', async () => {
    const { status, body } = await server.ask('/content/api/ping', anyone)

    assert.equal(status, 200)
    assert.equal(body.status, 'ok')
    assert.equal(body.services.database.status, 'ok')
    assert.equal(body.services.storage.status, 'ok')
  })

  it('is answered for many who ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => server.ask('/content/api/ping', anyone)))

    assert.ok(answers.every(({ body }) => body.status === 'ok'))
  })

  it('says when bytes cannot be stored, and when they can be again', async () => {
    const folder = join(server.folder, 'data/blobs/tmp')
    await rename(folder, `${folder}-away`)
    const { status, body } = await server.ask('/content/api/ping', anyone)
    await rename(`${folder}-away`, folder)
    const { body: later } = await server.ask('/content/api/ping', anyone)

    assert.equal(status, 200)
    assert.equal(body.status, 'FAIL')
    assert.equal(body.services.storage.message, 'Bytes cannot be stored')
    assert.equal(body.services.database.status, 'ok')
    assert.equal(later.status, 'ok')
  })

  it('says when the database does not answer', async () => {
    await using lonely = await startTestServer()
    await refuseConnections(lonely.database.url)

    const { status, body } = await lonely.ask('/api/ping', anyone)

    assert.equal(status, 200)
    assert.equal(body.results.foreman.database.active, false)
    assert.equal(body.results.katello.services.database.status, 'FAIL')
    assert.equal(body.results.katello.services.storage.status, 'ok')
  })
})

async function refuseConnections(url: string): Promise<void> {
  const [name = ''] = /backhaul_test_\w+/.exec(url) ?? []
  const client = new pg.Client(url.replace(name, 'postgres'))
  await client.connect()
  await client.query(`alter database ${name} with allow_connections false`)
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  await client.end()
}
