import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, before, describe, it } from 'node:test'
import { createFileRepository, fetchPublished, syncToEnd } from '../support/content.ts'
import { FileUpstream } from '../support/file-upstream.ts'
import type { Json } from '../support/json.ts'
import { openSharedGround, type ServerProcess, type SharedGround } from '../support/server-process.ts'
import { served } from '../support/uploads.ts'
import { waitUntil } from '../support/wait-until.ts'

describe('two processes that serve files on demand', () => {
  let ground: SharedGround
  let upstream: FileUpstream
  let one: ServerProcess
  let other: ServerProcess
  const files: Record<string, Buffer> = {}
  before(async () => {
    for (let index = 0; index < 20; index += 1) files[`f${index}`] = randomBytes(200_000 + index)
    files['held'] = randomBytes(3_000_000)
    files['orphan'] = randomBytes(3_000_000)
    ground = await openSharedGround()
    upstream = await FileUpstream.start()
    ;[one, other] = await Promise.all([ground.start('api,content,worker'), ground.start('content')])
  })
  afterEach(() => upstream.release())
  after(async () => {
    await ground[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  let made = 0
  async function createSynced(): Promise<{ repository: Json; folder: string }> {
    made += 1
    const folder = `on-demand-${made}`
    const repository = await createFileRepository(one, upstream.publish(folder, files), {
      download_policy: 'on_demand',
    })
    assert.equal((await syncToEnd(one, repository.id)).result, 'success')
    return { repository, folder }
  }

  it('ask the upstream once for each of many files that both are asked for at once', async () => {
    const { repository, folder } = await createSynced()
    const names = Object.keys(files).filter((name) => name.startsWith('f'))

    await Promise.all(
      names.flatMap((name) =>
        [one, other, one, other].map(async (server) => {
          assert.deepEqual(await served(server, repository, name), files[name], name)
        }),
      ),
    )

    assert.deepEqual(upstream.requests(`${folder}/f`).sort(), names.map((name) => `/${folder}/${name}`).sort())
  })

  it('wait for each other while the upstream is slow', async () => {
    const { repository, folder } = await createSynced()
    upstream.hold()
    const both = [one, other].map((server) => served(server, repository, 'held'))
    await waitUntil('the upstream is asked', () => upstream.heldCount === 1)
    await waitForLockAttempt()

    assert.equal(upstream.requests(`${folder}/held`).length, 1)
    upstream.release()

    assert.deepEqual(await Promise.all(both), [files['held'], files['held']])
    assert.equal(upstream.requests(`${folder}/held`).length, 1)
  })

  it('bring a file though the process that was bringing it is killed', async () => {
    const { repository, folder } = await createSynced()
    const third = await ground.start('content')
    upstream.hold()
    const lost = fetchPublished(third, repository, 'orphan').then((answer) => answer.arrayBuffer())
    lost.catch(() => undefined)
    await waitUntil('the upstream is asked', () => upstream.heldCount === 1)
    const waiting = served(other, repository, 'orphan')
    await waitForLockAttempt()

    await third.stop('SIGKILL')
    await assert.rejects(lost)
    await waitUntil('the other asks', () => upstream.requests(`${folder}/orphan`).length === 2)
    upstream.release()

    assert.deepEqual(await waiting, files['orphan'])
  })

  /** Until a process has asked in vain for the lock that another has. */
  async function waitForLockAttempt(): Promise<void> {
    const { pool } = ground.database.database
    await waitUntil('the other waits for the lock', async () => {
      const { rows } = await pool.query(
        `select count(*)::int as sessions from pg_stat_activity
         where datname = current_database() and query like 'select pg_try_advisory_lock($1, hashtext%'`,
      )
      return rows[0].sessions >= 2
    })
  }
})
