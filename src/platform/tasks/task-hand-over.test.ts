import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import {
  administrator,
  enqueue,
  findTask,
  newPart,
  newTask,
  startTaskWorker,
  type TaskWorker,
  taskEnd,
  untilAborted,
  untilRunning,
} from '../../../test/support/task-worker.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import { waitUntil } from '../../../test/support/wait-until.ts'
import { listRequest } from '../search/list-request.ts'
import type { TaskRow } from './tables.ts'
import type { TaskContext } from './task-handler.ts'

let database: TestDatabase
let client: TaskWorker
let opened: AsyncDisposableStack
beforeEach(async () => {
  opened = new AsyncDisposableStack()
  database = opened.use(await createTestDatabase())
  client = opened.use(await startTaskWorker(database.url))
})
afterEach(() => opened.disposeAsync())

/** A table that shows which runs of a task could write. */
async function createNotes(): Promise<(task: TaskContext, text: string) => Promise<void>> {
  await client.database.pool.query('create table notes (text text)')
  const db = client.database.tables<{ notes: { text: string } }>()
  return async (task, text) => {
    await task.commit(db, (tx) => tx.insertInto('notes').values({ text }).execute())
  }
}

async function notes(): Promise<string[]> {
  const { rows } = await client.database.pool.query<{ text: string }>('select text from notes')
  return rows.map(({ text }) => text)
}

describe('a runner that stops', () => {
  it('hands its tasks back to their old place, and another one starts them again', async () => {
    const first = await startTaskWorker(database.url, { handlers: { work: (task) => untilAborted(task.signal) } })
    const row = await enqueue(client, newTask(['repository']))
    const later = await enqueue(client, newTask(['repository']))
    await untilRunning(client, row.id)

    await first[Symbol.asyncDispose]()
    const back = await findTask(client, row.id)
    const order: string[] = []
    opened.use(
      await startTaskWorker(database.url, {
        handlers: {
          work: async ({ id }) => {
            order.push(id)
          },
        },
      }),
    )
    await taskEnd(client, later.id)
    const ended = await findTask(client, row.id)

    assert.deepEqual(
      { state: back.state, seq: back.seq, holder: back.holder, result: back.result },
      { state: 'planned', seq: row.seq, holder: null, result: 'pending' },
    )
    assert.deepEqual(order, [row.id, later.id])
    assert.deepEqual(
      { result: ended.result, attempts: ended.attempts, start: ended.started_at },
      { result: 'success', attempts: 2, start: back.started_at },
    )
  })

  it('does not wait for the parts of a task that it hands back with it', async () => {
    const worker = await startTaskWorker(database.url, {
      handlers: {
        work: async (task) => {
          await task.runChildren([newPart(), newPart()])
        },
        part: (task) => untilAborted(task.signal),
      },
    })
    const { id } = await enqueue(client, newTask())
    const parts = async () => (await client.tasks.listTasks(administrator, { parentId: id }, listRequest({}, 0))).rows
    await waitUntil('the parts run', async () => {
      const rows = await parts()
      return rows.length === 2 && rows.every(({ state }) => state === 'running')
    })

    const began = Date.now()
    await worker[Symbol.asyncDispose]()

    assert.ok(Date.now() - began < 5000)
    assert.equal((await findTask(client, id)).state, 'planned')
    assert.deepEqual(
      (await parts()).map(({ state, result }) => `${state} ${result}`),
      ['stopped cancelled', 'stopped cancelled'],
    )
  })

  it('leaves a task whose handler ignores its signal to the others, and refuses its writes', async () => {
    const note = await createNotes()
    const gate = Promise.withResolvers<void>()
    const deaf = await startTaskWorker(database.url, {
      graceMs: 50,
      handlers: {
        work: async (task) => {
          await gate.promise
          await note(task, 'deaf')
        },
      },
    })
    const { id } = await enqueue(client, newTask())
    await untilRunning(client, id)

    const gone = deaf[Symbol.asyncDispose]()
    opened.use(await startTaskWorker(database.url, { handlers: { work: (task) => note(task, 'second') } }))
    const { result, attempts } = await taskEnd(client, id)
    gate.resolve()
    await gone

    assert.deepEqual({ result, attempts }, { result: 'success', attempts: 2 })
    assert.deepEqual(await notes(), ['second'])
  })
})

describe('a process that is killed', () => {
  it('loses its task to another one within five seconds', async () => {
    const program = join(import.meta.dirname, '../../../test/support/task-process.ts')
    const child = spawn(process.execPath, [program, database.url], { stdio: ['ignore', 'pipe', 'inherit'] })
    const row = await enqueue(client, newTask(['repository']))
    const [started] = (await once(child.stdout, 'data')) as [Buffer]
    opened.use(await startTaskWorker(database.url, { handlers: { work: async () => {} } }))

    child.kill('SIGKILL')
    await once(child, 'exit')
    const killedAt = Date.now()
    const { result, attempts } = await taskEnd(client, row.id)

    assert.equal(started.toString().trim(), row.id)
    assert.deepEqual({ result, attempts }, { result: 'success', attempts: 2 })
    assert.ok(Date.now() - killedAt < 5000)
  })
})

describe('a runner that loses the session of its lock', () => {
  async function endSessionOf({ holder }: TaskRow): Promise<void> {
    const { rows } = await client.database.pool.query(
      `select pg_terminate_backend(pid) from pg_locks
       where locktype = 'advisory' and classid = 7206413 and objid = $1 and granted
         and database = (select oid from pg_database where datname = current_database())`,
      [holder],
    )
    assert.equal(rows.length, 1)
  }

  it('aborts its tasks and starts them again, and what the first run writes is refused', async () => {
    const note = await createNotes()
    const runs: TaskContext[] = []
    const reasons: string[] = []
    opened.use(
      await startTaskWorker(database.url, {
        handlers: {
          work: async (task) => {
            runs.push(task)
            if (runs.length > 1) return note(task, 'second run')
            await once(task.signal, 'abort')
            reasons.push((task.signal.reason as Error).message)
            throw task.signal.reason
          },
        },
      }),
    )
    const { id } = await enqueue(client, newTask(['repository']))
    const running = await untilRunning(client, id)

    await endSessionOf(running)
    const { result, attempts, errors, seq } = await taskEnd(client, id)

    assert.deepEqual(
      { result, attempts, errors, seq },
      { result: 'success', attempts: 2, errors: [], seq: running.seq },
    )
    assert.deepEqual(reasons, ['The task was taken over'])
    await assert.rejects(note(runs[0] as TaskContext, 'first run'), { code: 'cancelled' })
    assert.deepEqual(await notes(), ['second run'])
  })

  it('lets neither progress nor end of the first run touch the second', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const runs: TaskContext[] = []
    const work = async (task: TaskContext) => {
      const run = runs.push(task)
      await gates[run - 1]?.promise
      task.progress(1, `run ${run}`)
      task.output['run'] = run
      task.warn('ended')
    }
    opened.use(await startTaskWorker(database.url, { handlers: { work } }))
    const { id } = await enqueue(client, newTask())
    const running = await untilRunning(client, id)
    await endSessionOf(running)
    await waitUntil('the second run goes on', () => runs.length === 2)

    gates[0]?.resolve()
    const probe = await enqueue(client, newTask())
    await waitUntil('the probe runs', () => runs.length === 3)
    await taskEnd(client, probe.id)
    const between = await findTask(client, id)
    gates[1]?.resolve()
    const { output, progress_text } = await taskEnd(client, id)

    assert.deepEqual(
      { state: between.state, output: between.output, errors: between.errors, text: between.progress_text },
      { state: 'running', output: {}, errors: [], text: '' },
    )
    assert.deepEqual({ output, progress_text }, { output: { run: 2 }, progress_text: 'run 2' })
  })
})
