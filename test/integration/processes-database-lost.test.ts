import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { createFileRepository, syncToEnd, taskEnd } from '../support/content.ts'
import { FileUpstream } from '../support/file-upstream.ts'
import type { Json } from '../support/json.ts'
import { type RestartablePostgres, startRestartablePostgres } from '../support/restartable-postgres.ts'
import { openSharedGround, type ServerProcess, type SharedGround } from '../support/server-process.ts'
import { form, multipart, repositories, served } from '../support/uploads.ts'
import { waitUntil } from '../support/wait-until.ts'

describe('two processes whose PostgreSQL breaks down', () => {
  let database: RestartablePostgres
  let ground: SharedGround
  let upstream: FileUpstream
  let both: readonly [ServerProcess, ServerProcess]
  before(async () => {
    database = await startRestartablePostgres()
    ground = await openSharedGround({ database })
    upstream = await FileUpstream.start()
    const env = { BACKHAUL_LOG_LEVEL: 'fatal' }
    both = await Promise.all([ground.start('api,content,worker', env), ground.start('api,content,worker', env)])
  })
  afterEach(() => upstream.release())
  after(async () => {
    await ground[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  async function startSync(server: ServerProcess, { id }: Json): Promise<Json> {
    const { status, body } = await server.ask(`${repositories}/${id}/sync`, { method: 'POST' })
    assert.equal(status, 202, JSON.stringify(body))
    return body
  }

  async function areReady(): Promise<boolean> {
    const answers = await Promise.all(
      both.flatMap(({ api, content }) => [fetch(`${api}/readyz`), fetch(`${content}/readyz`)]),
    )
    return answers.every(({ status }) => status === 200)
  }

  for (const [when, isHeld] of [
    ['while they wait for an upstream', true],
    ['while they write', false],
  ] as const) {
    it(`come back by themselves, and lose no task, when it was ${when}`, async () => {
      const files = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, `${when} ${index}`]))
      const url = upstream.publish(`files-${isHeld}`, files)
      const made: Json[] = []
      for (let index = 0; index < 6; index += 1) made.push(await createFileRepository(both[0], url))
      if (isHeld) upstream.hold()
      const tasks = await Promise.all(made.map((repository, index) => startSync(both[index % 2 ? 0 : 1], repository)))
      await waitUntil('files are asked for', () => upstream.requests(`files-${isHeld}/f`).length > 10)

      await database.crash()

      for (const server of both) {
        for (const path of ['/readyz', repositories]) {
          const { status } = await server.ask(path)
          assert.equal(status, 503, path)
        }
        assert.equal((await fetch(`${server.content}/readyz`)).status, 503)
        assert.equal((await fetch(`${server.api}/healthz`)).status, 200)
      }
      await database.restart()
      upstream.release()
      await waitUntil('both are ready', areReady)

      for (const [index, { id }] of tasks.entries()) {
        const task = await taskEnd(both[index % 2 ? 1 : 0], id)
        assert.equal(task.result, 'success', JSON.stringify(task.humanized))
      }
      for (const repository of made) {
        for (const name of ['f0', 'f39']) {
          for (const server of both) assert.equal(String(await served(server, repository, name)), files[name])
        }
      }
      const { rows } = await database.database.pool.query(`select from tasks where state <> 'stopped'`)
      assert.equal(rows.length, 0)
    })
  }

  it('hear of each other again: what one changes the other serves, and cancels', async () => {
    const [one, other] = both
    const repository = await createFileRepository(one, upstream.publish('after', { file: 'old' }))
    assert.equal((await syncToEnd(one, repository.id)).result, 'success')
    assert.equal(String(await served(other, repository, 'file')), 'old')

    const path = `${repositories}/${repository.id}/upload_content`
    const body = form([['content', 'sent', 'sent']])
    assert.equal((await one.ask(path, { method: 'POST', body, headers: multipart })).status, 200)
    await waitUntil('it is served', async () => String(await served(other, repository, 'sent')) === 'sent')

    upstream.publish('after', { file: 'new' })
    upstream.hold()
    const task = await startSync(other, repository)
    await waitUntil('the upstream is asked', () => upstream.heldCount > 0)
    await one.ask(`/foreman_tasks/api/tasks/${task.id}/cancel`, { method: 'POST' })
    assert.equal((await taskEnd(other, task.id)).result, 'cancelled')
  })
})
