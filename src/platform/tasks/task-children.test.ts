import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, it } from 'node:test'
import {
  administrator,
  enqueue,
  findTask,
  newPart,
  newTask,
  startTaskWorker,
  type TaskWorker,
  type TaskWorkerOptions,
  taskEnd,
  untilAborted,
} from '../../../test/support/task-worker.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import { waitUntil } from '../../../test/support/wait-until.ts'
import { listRequest } from '../search/list-request.ts'
import type { TaskRow, TaskTables } from './tables.ts'
import { insertChildTask } from './task-store.ts'

let database: TestDatabase
let client: TaskWorker
let opened: AsyncDisposableStack
beforeEach(async () => {
  opened = new AsyncDisposableStack()
  database = opened.use(await createTestDatabase())
  client = opened.use(await startTaskWorker(database.url))
})
afterEach(() => opened.disposeAsync())

async function start(handlers: TaskWorkerOptions['handlers'], concurrency = 4): Promise<void> {
  opened.use(await startTaskWorker(database.url, { handlers: handlers ?? {}, concurrency }))
}

async function partsOf(parentId: string): Promise<TaskRow[]> {
  const { rows } = await client.tasks.listTasks(administrator, { parentId }, listRequest({ full_result: true }, 0))
  return rows.toReversed()
}

describe('the parts of a task', () => {
  it('run under its resources, for its user and in its scope, while others wait', async () => {
    const events: string[] = []
    await start({
      work: async (task) => {
        events.push(String(task.input['name']))
        if (task.input['name'] === 'parent') await task.runChildren([newPart(), newPart()])
      },
      part: async () => {
        events.push('part')
      },
    })
    const parent = await enqueue(
      client,
      newTask(['repository'], {
        input: { name: 'parent' },
        user: { id: undefined, login: 'ann' },
        scope: 'organization:1',
      }),
    )
    const waiting = await enqueue(client, newTask(['repository'], { input: { name: 'waiting' } }))

    await taskEnd(client, waiting.id)
    const parts = await partsOf(parent.id)

    assert.deepEqual(events, ['parent', 'part', 'part', 'waiting'])
    assert.deepEqual(
      parts.map(({ username, scope, parent_id }) => ({ username, scope, parent_id })),
      Array.from({ length: 2 }, () => ({ username: 'ann', scope: 'organization:1', parent_id: parent.id })),
    )
  })

  it('wait for resources of their own, while others go on', async () => {
    const events: string[] = []
    const gate = Promise.withResolvers<void>()
    await start({
      holding: () => gate.promise,
      work: async (task) => {
        const held = { ...newPart({ name: 'held' }), resources: [{ name: 'held', mode: 'exclusive' as const }] }
        await task.runChildren([held, newPart({ name: 'free' })])
      },
      part: async ({ input }) => {
        events.push(String(input['name']))
        if (input['name'] === 'free') gate.resolve()
      },
    })
    await enqueue(client, newTask(['held'], { kind: 'holding' }))

    const { result } = await taskEnd(client, (await enqueue(client, newTask())).id)

    assert.deepEqual({ result, events }, { result: 'success', events: ['free', 'held'] })
  })

  it('are given to it in their order, with how each of them ended', async () => {
    let given: readonly TaskRow[] = []
    await start({
      work: async (task) => {
        given = await task.runChildren(['a', 'b', 'c'].map((name) => newPart({ name })))
      },
      part: async (task) => {
        if (task.input['name'] === 'b') throw new Error('b is broken')
        task.output['made'] = task.input['name']
      },
    })

    const { result } = await taskEnd(client, (await enqueue(client, newTask())).id)

    assert.equal(result, 'success')
    assert.deepEqual(
      given.map(({ input, result, errors, output }) => ({ ...input, result, errors, ...output })),
      [
        { name: 'a', result: 'success', errors: [], made: 'a' },
        { name: 'b', result: 'error', errors: ['b is broken'] },
        { name: 'c', result: 'success', errors: [], made: 'c' },
      ],
    )
  })

  it('run one at a time, nested three deep, in a process that runs one task at a time', async () => {
    let atOnce = 0
    let most = 0
    const busy = async () => {
      atOnce += 1
      most = Math.max(most, atOnce)
      await client.database.pool.query('select 1')
      atOnce -= 1
    }
    await start(
      {
        work: async (task) => {
          await task.runChildren([newPart({}, 'middle'), newPart({}, 'middle')])
        },
        middle: async (task) => {
          await task.runChildren([newPart(), newPart()])
        },
        part: busy,
      },
      1,
    )

    const { result } = await taskEnd(client, (await enqueue(client, newTask())).id)

    assert.equal(result, 'success')
    assert.equal(most, 1)
  })

  it('go before tasks that have not begun, so that parents do not pile up', async () => {
    const events: string[] = []
    for (let i = 0; i < 20; i += 1) await enqueue(client, newTask())

    await start(
      {
        work: async (task) => {
          events.push('parent')
          await task.runChildren([newPart(), newPart()])
        },
        part: async () => {
          events.push('part')
        },
      },
      1,
    )
    await waitUntil('all have run', () => events.length === 60)

    // another parent may begin while the parts of the first are being stored
    assert.ok(events.slice(0, events.indexOf('part')).length <= 2, events.join(' '))
  })

  it('may be asked for twice at once, and both runs are whole', async () => {
    const given: TaskRow[][] = []
    await start({
      work: async (task) => {
        given.push(...(await Promise.all([task.runChildren([newPart()]), task.runChildren([newPart(), newPart()])])))
      },
      part: async () => {},
    })

    await taskEnd(client, (await enqueue(client, newTask())).id)

    assert.deepEqual(
      given.map((rows) => rows.map(({ result }) => result)),
      [['success'], ['success', 'success']],
    )
  })
})

describe('the end of a parent', () => {
  it('comes, when it is cancelled, after that of its parts, running and planned', async () => {
    await start(
      {
        work: async (task) => {
          await task.runChildren([newPart(), newPart(), newPart()])
        },
        part: (task) => untilAborted(task.signal),
      },
      2,
    )
    const parent = await enqueue(client, newTask(['repository']))
    await waitUntil('two parts run', async () => {
      return (await partsOf(parent.id)).filter(({ state }) => state === 'running').length === 2
    })

    await client.tasks.cancelTask(administrator, parent.id)
    const { result, ended_at } = await taskEnd(client, parent.id)
    const parts = await partsOf(parent.id)

    assert.equal(result, 'cancelled')
    assert.deepEqual(
      parts.map((part) => part.result),
      ['cancelled', 'cancelled', 'cancelled'],
    )
    assert.ok(parts.every((part) => (part.ended_at as Date) <= (ended_at as Date)))
  })

  it('comes, when it fails without waiting for its parts, after they were cancelled', async () => {
    await start({
      work: async (task) => {
        const running = task.runChildren([newPart()])
        await waitUntil('the part runs', async () => (await partsOf(task.id))[0]?.state === 'running')
        running.catch(() => undefined)
        throw new Error('no patience')
      },
      part: (task) => untilAborted(task.signal),
    })
    const parent = await enqueue(client, newTask())

    const { errors } = await taskEnd(client, parent.id)
    const [part] = await partsOf(parent.id)

    assert.deepEqual(errors, ['no patience'])
    assert.deepEqual({ state: part?.state, result: part?.result }, { state: 'stopped', result: 'cancelled' })
  })
})

describe('a parent whose process was killed', () => {
  /** What a kill leaves behind: a parent without a living holder, and a part that another process runs. */
  async function leaveBehind(): Promise<{ parent: TaskRow; part: TaskRow }> {
    const db = client.database.tables<TaskTables>()
    const parent = await enqueue(client, newTask(['repository']))
    await db
      .updateTable('tasks')
      .set({ state: 'running', holder: 4711, attempts: 1 })
      .where('id', '=', parent.id)
      .execute()
    const part = await insertChildTask(db, randomUUID(), { ...newTask([], { kind: 'part' }), parentId: parent.id })
    await waitUntil('the part runs', async () => (await partsOf(parent.id))[0]?.state === 'running')
    return { parent, part }
  }

  it('starts again when the parts of its first run have ended', async () => {
    await start({ part: (task) => untilAborted(task.signal) })
    const { parent, part } = await leaveBehind()
    let seen: TaskRow | undefined

    await start({
      work: async () => {
        seen = await findTask(client, part.id)
      },
    })
    const { result, attempts } = await taskEnd(client, parent.id)

    assert.deepEqual({ result, attempts }, { result: 'success', attempts: 2 })
    assert.deepEqual({ state: seen?.state, result: seen?.result }, { state: 'stopped', result: 'cancelled' })
  })

  it('keeps its resources, when it is cancelled, until those parts have ended', async () => {
    const gate = Promise.withResolvers<void>()
    await start({ part: () => gate.promise })
    const { parent, part } = await leaveBehind()
    await waitUntil('the parent is planned again', async () => {
      return (await findTask(client, parent.id)).state === 'planned'
    })
    let hasRun = false

    const asked = await client.tasks.cancelTask(administrator, parent.id)
    await start({
      work: async () => {
        hasRun = true
      },
    })
    gate.resolve()
    const { result, ended_at } = await taskEnd(client, parent.id)
    const ended = await findTask(client, part.id)

    assert.equal(asked.state, 'planned')
    assert.equal(result, 'cancelled')
    assert.equal(hasRun, false)
    assert.ok((ended.ended_at as Date) <= (ended_at as Date))
  })
})
