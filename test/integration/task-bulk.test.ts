import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { createFileRepository, syncToEnd, taskEnd } from '../support/content.ts'
import { messageIn } from '../support/error-answers.ts'
import type { Json } from '../support/json.ts'
import { createMembers, loginOf } from '../support/members.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { startUpstream, type UpstreamServer } from '../support/upstream-server.ts'
import { waitUntil } from '../support/wait-until.ts'

const base = '/foreman_tasks/api/tasks'
const repositories = '/content/api/repositories'

let server: TestServer
let upstream: UpstreamServer
/** What the upstream does with who asks. */
let mood: 'good' | 'bad' | 'silent' = 'good'
before(async () => {
  upstream = await startUpstream((_request, response) => {
    if (mood === 'bad') response.writeHead(404).end()
    if (mood === 'good') response.end('')
  })
  server = await startTestServer()
  await createMembers(server)
})
after(async () => {
  await server[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const post = (path: string, body: object = {}, as?: string) =>
  server.ask(path, { method: 'POST', body, ...(as === undefined ? {} : { as }) })
const idsOf = (tasks: readonly Json[]) => tasks.map(({ id }) => id).sort()
const show = async (id: string): Promise<Json> => (await server.ask(`${base}/${id}`)).body

async function failedSync(): Promise<{ repository: Json; task: Json }> {
  mood = 'bad'
  const repository = await createFileRepository(server, upstream.url)
  const task = await syncToEnd(server, repository.id)
  assert.equal(task.result, 'error')
  mood = 'good'
  return { repository, task }
}

async function hangingSync(): Promise<Json> {
  mood = 'silent'
  const repository = await createFileRepository(server, upstream.url)
  const before = upstream.requests.length
  const { body } = await post(`${repositories}/${repository.id}/sync`)
  await waitUntil('the upstream is asked', () => upstream.requests.length > before)
  mood = 'good'
  return body
}

describe('a sync that failed', () => {
  it('can be resumed until another has taken its place: a fresh one does what it was to do', async () => {
    const { task } = await failedSync()
    assert.deepEqual(task.available_actions, { cancellable: false, resumable: true })
    assert.equal((await server.ask(`${base}/${task.id}/details`)).body.available_actions.resumable, true)
    const listed = await server.ask(`${base}?search=${encodeURIComponent(`id = ${task.id}`)}`)
    assert.equal(listed.body.results[0].available_actions.resumable, true)

    const { status, body } = await post(`${base}/${task.id}/resume`)

    assert.deepEqual([status, body.label, body.input], [200, task.label, task.input])
    assert.notEqual(body.id, task.id)
    assert.equal((await taskEnd(server, body.id)).result, 'success')
    assert.equal((await show(task.id)).available_actions.resumable, false)
    assert.match(messageIn(await post(`${base}/${task.id}/resume`), base, 409), /taken its place/)
    assert.match(messageIn(await post(`${base}/${body.id}/resume`), base, 409), /done its work/)
  })

  it('is resumed with the options that it had', async () => {
    const repository = await createFileRepository(server, 'http://one.example/')
    mood = 'bad'
    const options = { source_url: `${upstream.url}/elsewhere/`, incremental: true }
    const { body } = await post(`${repositories}/${repository.id}/sync`, options)
    await taskEnd(server, body.id)
    mood = 'good'

    const resumed = await post(`${base}/${body.id}/resume`)

    assert.deepEqual(resumed.body.input.options, body.input.options)
    assert.equal((await taskEnd(server, resumed.body.id)).result, 'success')
    assert.equal(upstream.requests.at(-1)?.url, '/elsewhere/PULP_MANIFEST')
  })

  it('of a repository that was deleted cannot be resumed', async () => {
    const { repository, task } = await failedSync()
    await server.ask(`${repositories}/${repository.id}`, { method: 'DELETE' })

    assert.equal((await show(task.id)).available_actions.resumable, false)
    assert.match(messageIn(await post(`${base}/${task.id}/resume`), base, 409), /was deleted/)
  })

  it('is resumed by those who may sync', async () => {
    const { task } = await failedSync()

    assert.equal((await post(`${base}/${task.id}/resume`, {}, loginOf('viewer'))).status, 403)
    assert.equal((await post(`${base}/${task.id}/resume`, {}, loginOf('stranger'))).status, 404)
    const skipped = await post(`${base}/bulk_resume`, { task_ids: [task.id] }, loginOf('viewer'))
    assert.deepEqual([skipped.body.total, skipped.body.resumed, idsOf(skipped.body.skipped)], [1, [], [task.id]])
    const resumed = await post(`${base}/${task.id}/resume`, {}, loginOf('editor'))
    assert.deepEqual([resumed.status, resumed.body.username], [200, 'editor'])
  })
})

describe('other tasks', () => {
  it('cannot be resumed: running ones, and those that are no syncs', async () => {
    const running = await hangingSync()
    assert.match(messageIn(await post(`${base}/${running.id}/resume`), base, 409), /has not stopped/)
    const cancelled = await post(`${base}/${running.id}/cancel`)
    assert.equal(cancelled.status, 200)
    const ended = await taskEnd(server, running.id)
    assert.deepEqual([ended.result, ended.available_actions.resumable], ['cancelled', true])

    await server.database.database.pool.query('update tasks set kind = $1 where id = $2', ['content.other', running.id])
    assert.equal((await show(running.id)).available_actions.resumable, false)
    assert.match(messageIn(await post(`${base}/${running.id}/resume`), base, 409), /asked for anew/)
    messageIn(await post(`${base}/${randomUUID()}/resume`), base, 404)
  })
})

describe('many tasks at once', () => {
  it('are resumed as far as they can be, by ids and by a search', async () => {
    const failed = [await failedSync(), await failedSync()].map(({ task }) => task)
    const done = await syncToEnd(server, (await createFileRepository(server, upstream.url)).id)
    const ids = idsOf([...failed, done])
    const unknown = [randomUUID(), 'no id', failed[0].id.toUpperCase()]

    const first = await post(`${base}/bulk_resume`, { task_ids: [...ids, ...unknown], search: 'result = success' })
    const second = await post(`${base}/bulk_resume`, { task_ids: [...ids, ...unknown] })
    const third = await post(`${base}/bulk_resume`, { task_ids: ids, search: '' })

    assert.deepEqual(Object.keys(first.body), ['total', 'resumed', 'failed', 'skipped'])
    assert.deepEqual([first.body.total, first.body.resumed, idsOf(first.body.skipped)], [1, [], [done.id]])
    assert.equal(second.body.total, 3)
    assert.deepEqual(second.body.resumed.map((task: Json) => task.resumed_task_id).sort(), idsOf(failed))
    assert.deepEqual([second.body.failed, idsOf(second.body.skipped)], [[], [done.id]])
    for (const { id } of second.body.resumed) assert.equal((await taskEnd(server, id)).result, 'success')
    assert.deepEqual([third.body.resumed, third.body.skipped.length], [[], 3])
  })

  it('are named where they fail', async () => {
    const { repository, task } = await failedSync()
    await server.ask(`${repositories}/${repository.id}`, { method: 'PUT', body: { url: null } })

    const { body } = await post(`${base}/bulk_resume`, { task_ids: [task.id] })

    assert.deepEqual([body.total, body.resumed, body.skipped], [1, [], []])
    assert.deepEqual(idsOf(body.failed), [task.id])
    assert.match(body.failed[0].error, /url is not set/)
  })

  for (const [path, word] of [
    ['bulk_cancel', 'cancelled'],
    ['bulk_stop', 'stopped'],
  ] as const) {
    it(`are ended by ${path}, by those who may`, async () => {
      const running = [await hangingSync(), await hangingSync()]
      const { task: stopped } = await failedSync()
      const choice = { task_ids: idsOf([...running, stopped]) }

      const viewed = await post(`${base}/${path}`, choice, loginOf('viewer'))
      assert.deepEqual([viewed.body.total, viewed.body[word], viewed.body.skipped.length], [3, [], 3])
      assert.equal((await post(`${base}/${running[0].id}/cancel`, {}, loginOf('viewer'))).status, 403)
      const unseen = await post(`${base}/${path}`, choice, loginOf('stranger'))
      assert.deepEqual(unseen.body, { total: 0, [word]: [], failed: [], skipped: [] })
      const ended = await post(`${base}/${path}`, choice, loginOf('editor'))

      assert.deepEqual([ended.body.total, idsOf(ended.body[word])], [3, idsOf(running)])
      assert.deepEqual([ended.body.failed, idsOf(ended.body.skipped)], [[], [stopped.id]])
      for (const { id } of running) assert.equal((await taskEnd(server, id)).result, 'cancelled')
    })
  }

  it('are found by ids and by a search', async () => {
    const { task } = await failedSync()

    const { status, body } = await post(`${base}/bulk_search`, { search: `id = ${task.id}` })

    assert.equal(status, 200)
    assert.deepEqual(body, { total: 1, results: [task] })
  })

  it('have to be said: by ids or by a search that means something', async () => {
    for (const path of ['bulk_search', 'bulk_resume', 'bulk_cancel', 'bulk_stop']) {
      for (const body of [{}, { search: '' }, { task_ids: null, search: ' ' }, { task_ids: 'x' }]) {
        const answer = await post(`${base}/${path}`, body)
        messageIn(answer, base, 422)
        assert.deepEqual(Object.keys(answer.body.errors), ['task_ids'])
      }
      const unsearchable = await post(`${base}/${path}`, { search: 'colour = red' })
      assert.deepEqual([unsearchable.status, unsearchable.body.error.class], [400, 'ScopedSearch::QueryNotSupported'])
      const none = await post(`${base}/${path}`, { task_ids: [] })
      assert.deepEqual([none.status, none.body.total], [200, 0])
    }
  })
})

describe('the summary', () => {
  it('counts the tasks that somebody sees by state and result', async () => {
    await failedSync()

    const { status, body } = await server.ask(`${base}/summary`)

    assert.equal(status, 200)
    for (const { state, result, count, started_at } of body) {
      const { body: list } = await server.ask(`${base}?state=${state}&result=${result}`)
      assert.deepEqual([count, typeof started_at], [list.total, 'string'])
    }
    const all = await server.ask(base)
    assert.equal(
      body.reduce((sum: number, { count }: Json) => sum + count, 0),
      all.body.total,
    )
    assert.deepEqual((await server.ask(`${base}/summary`, { as: loginOf('stranger') })).body, [])
    assert.equal((await server.ask(`${base}/summary`, { as: null })).status, 401)
  })
})
