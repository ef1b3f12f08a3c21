import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import {
  enqueue,
  findTask,
  newTask,
  startTaskWorker,
  type TaskWorker,
  taskEnd,
  untilRunning,
} from '../../../test/support/task-worker.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import { waitUntil } from '../../../test/support/wait-until.ts'
import { reclaimOrphans } from './holder-store.ts'
import type { TaskTables } from './tables.ts'

let database: TestDatabase
let client: TaskWorker
let opened: AsyncDisposableStack
beforeEach(async () => {
  opened = new AsyncDisposableStack()
  database = opened.use(await createTestDatabase())
  client = opened.use(await startTaskWorker(database.url))
})
afterEach(() => opened.disposeAsync())

describe('commit', () => {
  it('writes and gives the result while the task is held', async () => {
    const db = client.database.tables<TaskTables>()
    let given: number | undefined
    opened.use(
      await startTaskWorker(database.url, {
        handlers: {
          work: async (task) => {
            given = await task.commit(db, async (tx) => {
              await tx.updateTable('tasks').set({ username: 'written' }).where('id', '=', task.id).execute()
              return 42
            })
          },
        },
      }),
    )

    const { username } = await taskEnd(client, (await enqueue(client, newTask())).id)

    assert.equal(given, 42)
    assert.equal(username, 'written')
  })

  it('holds up a take-over until it is done', async () => {
    const gates = { inside: Promise.withResolvers<void>(), leave: Promise.withResolvers<void>() }
    opened.use(
      await startTaskWorker(database.url, {
        handlers: {
          work: (task) =>
            task.commit(client.database.tables(), async () => {
              gates.inside.resolve()
              await gates.leave.promise
            }),
        },
      }),
    )
    const { id } = await enqueue(client, newTask())
    await gates.inside.promise
    const { holder } = await findTask(client, id)
    const db = client.database.tables<TaskTables>()
    let isTaken = false
    const takeOver = db
      .updateTable('tasks')
      .set({ state: 'planned', holder: null })
      .where('id', '=', id)
      .where('holder', '=', holder)
      .execute()
      .then(() => {
        isTaken = true
      })

    await waitUntil('the take-over waits', async () => {
      const { rows } = await client.database.pool.query('select from pg_locks where not granted')
      return rows.length > 0
    })
    const wasTaken = isTaken
    gates.leave.resolve()
    await takeOver

    assert.equal(wasTaken, false)
  })
})

describe('reclaiming', () => {
  it('finds tasks whose holder has left no trace', async () => {
    const db = client.database.tables<TaskTables>()
    const { id, seq } = await enqueue(client, newTask())
    await db.updateTable('tasks').set({ state: 'running', holder: 4711, attempts: 1 }).where('id', '=', id).execute()

    const count = await reclaimOrphans(db)
    const row = await findTask(client, id)

    assert.equal(count, 1)
    assert.deepEqual({ state: row.state, seq: row.seq, holder: row.holder }, { state: 'planned', seq, holder: null })
  })

  it('leaves the tasks of living holders alone', async () => {
    const gate = Promise.withResolvers<void>()
    opened.use(await startTaskWorker(database.url, { handlers: { work: () => gate.promise } }))
    const { id } = await enqueue(client, newTask())
    const { holder } = await untilRunning(client, id)

    const count = await reclaimOrphans(client.database.tables())
    const row = await findTask(client, id)
    gate.resolve()
    await taskEnd(client, id)

    assert.equal(count, 0)
    assert.equal(row.holder, holder)
  })
})
