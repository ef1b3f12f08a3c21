import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { createFileRepository, fetchPublished, syncToEnd, taskEnd } from '../support/content.ts'
import { FileUpstream } from '../support/file-upstream.ts'
import type { Json } from '../support/json.ts'
import { openSharedGround, type ServerProcess, type SharedGround } from '../support/server-process.ts'
import { form, multipart, repositories, served } from '../support/uploads.ts'
import { waitUntil } from '../support/wait-until.ts'

const roles = 'api,content,worker'

describe('two processes with workers', () => {
  let ground: SharedGround
  let upstream: FileUpstream
  let one: ServerProcess
  let other: ServerProcess
  before(async () => {
    ground = await openSharedGround()
    upstream = await FileUpstream.start()
    ;[one, other] = await Promise.all([ground.start(roles), ground.start(roles)])
  })
  afterEach(() => upstream.release())
  after(async () => {
    await ground[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  /** The process that runs a task, and the one that does not. */
  async function holderOf(taskId: string): Promise<{ holder: ServerProcess; bystander: ServerProcess }> {
    const { rows } = await ground.database.database.pool.query(
      'select h.process from tasks t join task_holders h on h.id = t.holder where t.id = $1',
      [taskId],
    )
    const isOne = rows[0].process.endsWith(`:${one.pid}`)
    return isOne ? { holder: one, bystander: other } : { holder: other, bystander: one }
  }

  async function startHeldSync(folder: string): Promise<{ repository: Json; task: Json }> {
    const url = upstream.publish(folder, { file: `of ${folder}` })
    const repository = await createFileRepository(one, url)
    upstream.hold()
    const { body: task } = await one.ask(`${repositories}/${repository.id}/sync`, { method: 'POST' })
    await waitUntil('the upstream is asked', () => upstream.heldCount === 1)
    return { repository, task }
  }

  it('do each of many syncs and uploads, asked for at both at once, exactly once', async () => {
    const { pool } = ground.database.database
    const names = Array.from({ length: 12 }, (_, index) => `many-${index}`)
    const made = await Promise.all(
      names.map((name, index) =>
        createFileRepository(index % 2 ? one : other, upstream.publish(name, { a: `a of ${name}`, b: `b of ${name}` })),
      ),
    )
    const begin = new Date()

    await Promise.all(
      made.flatMap((repository, index) => [
        syncToEnd(index % 3 ? one : other, repository.id),
        ...['x', 'y'].map(async (file, which) => {
          const body = form([['content', `${file} of ${repository.id}`, file]])
          const path = `${repositories}/${repository.id}/upload_content`
          const sent = await (which ? one : other).ask(path, { method: 'POST', body, headers: multipart })
          assert.equal(sent.status, 200, JSON.stringify(sent.body))
        }),
      ]),
    )

    const { rows } = await pool.query(
      'select kind, result, attempts, count(*)::int from tasks where started_at >= $1 group by 1, 2, 3 order by 1',
      [begin],
    )
    assert.deepEqual(rows, [
      { kind: 'content.import_upload', result: 'success', attempts: 1, count: 24 },
      { kind: 'content.sync', result: 'success', attempts: 1, count: 12 },
    ])
    assert.deepEqual(
      upstream.requests('many-').sort(),
      names.flatMap((name) => ['PULP_MANIFEST', 'a', 'b'].map((file) => `/${name}/${file}`)).sort(),
    )
    for (const [index, repository] of made.entries()) {
      const name = names[index]
      // the mirror drops what was uploaded before it ran, so only its own files must be there
      for (const file of ['a', 'b']) assert.equal(String(await served(one, repository, file)), `${file} of ${name}`)
    }
  })

  it('end a task that runs in one as soon as the other is told to, without waiting for the next look', async (t) => {
    const delaysMs: number[] = []
    for (let round = 0; round < 8; round += 1) {
      const { repository, task } = await startHeldSync(`cancelled-${round}`)
      const { bystander } = await holderOf(task.id)
      const start = performance.now()
      const { status } = await bystander.ask(`/foreman_tasks/api/tasks/${task.id}/cancel`, { method: 'POST' })
      assert.equal(status, 200)
      const ended = await taskEnd(bystander, task.id)
      delaysMs.push(performance.now() - start)
      assert.equal(ended.result, 'cancelled')
      assert.equal((await fetchPublished(bystander, repository, 'file')).status, 404)
      upstream.release()
    }
    t.diagnostic(`${delaysMs.map(Math.round)} ms`)
    // each process looks once a second by itself: six of eight would hardly ever be so lucky
    assert.ok(delaysMs.filter((delay) => delay < 300).length >= 6, `${delaysMs}`)
  })

  it('take over what the other ran when that is stopped or killed', async (t) => {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const { repository, task } = await startHeldSync(`taken-${signal}`)
      const { holder, bystander } = await holderOf(task.id)
      const asked = () => upstream.requests(`taken-${signal}/file`).length
      assert.equal(asked(), 1)

      const start = performance.now()
      const stopped = holder.stop(signal)
      await waitUntil('the other asks the upstream', () => asked() === 2)
      const delayMs = performance.now() - start
      t.diagnostic(`${signal}: taken over after ${Math.round(delayMs)} ms`)
      await stopped
      upstream.release()

      const ended = await taskEnd(bystander, task.id)
      assert.equal(ended.result, 'success', JSON.stringify(ended.humanized))
      assert.equal(String(await served(bystander, repository, 'file')), `of taken-${signal}`)
      assert.ok(delayMs < 5000, `${delayMs}`)
      assert.equal(asked(), 2)
      const { rows } = await ground.database.database.pool.query(
        `select attempts, (
           select s.latest_version from content_sets s join repositories r on r.set_id = s.id where r.id = $2) as versions
         from tasks where id = $1`,
        [task.id, repository.id],
      )
      assert.deepEqual(rows, [{ attempts: 2, versions: 1 }])
      const fresh = await ground.start(roles)
      if (holder === one) one = fresh
      else other = fresh
    }
  })
})
