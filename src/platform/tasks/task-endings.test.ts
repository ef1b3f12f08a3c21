import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import {
  administrator,
  enqueue,
  findTask,
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
let worker: TaskWorker
/** What tasks of the kind `work` do; each test sets its own. */
let work: (task: TaskContext) => Promise<void> = async () => {}
before(async () => {
  database = await createTestDatabase()
  worker = await startTaskWorker(database.url, { handlers: { work: (task) => work(task) } })
})
after(async () => {
  await worker[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

async function add(resources: readonly string[] = []): Promise<TaskRow> {
  return enqueue(worker, newTask(resources))
}

describe('the end of a task', () => {
  it('is success, with everything the handler reported', async () => {
    work = async (task) => {
      task.progress(0.4, '4 of 10')
      task.output['names'] = ['a', 'b']
    }

    const { state, result, progress, progress_text, output, errors, started_at, ended_at, holder } = await taskEnd(
      worker,
      (await add()).id,
    )

    assert.deepEqual(
      { state, result, progress, progress_text, output, errors, holder },
      {
        state: 'stopped',
        result: 'success',
        progress: 1,
        progress_text: '4 of 10',
        output: { names: ['a', 'b'] },
        errors: [],
        holder: null,
      },
    )
    assert.ok(started_at !== null && ended_at !== null && started_at <= ended_at)
  })

  it('is warning when the handler warned', async () => {
    work = async (task) => {
      task.warn('one was skipped')
      task.warn('another too')
    }

    const { result, errors, progress } = await taskEnd(worker, (await add()).id)

    assert.deepEqual(
      { result, errors, progress },
      { result: 'warning', errors: ['one was skipped', 'another too'], progress: 1 },
    )
  })

  it('is error with warnings, message and causes when the handler threw', async () => {
    work = async (task) => {
      task.warn('one was skipped')
      task.progress(0.25, 'early')
      task.output['fetched'] = 3
      throw new Error('cannot go on', { cause: new Error('the disk is full') })
    }

    const { state, result, errors, progress, progress_text, output } = await taskEnd(worker, (await add()).id)

    assert.deepEqual(
      { state, result, errors, progress, progress_text, output },
      {
        state: 'stopped',
        result: 'error',
        errors: ['one was skipped', 'cannot go on: the disk is full'],
        progress: 0.25,
        progress_text: 'early',
        output: { fetched: 3 },
      },
    )
  })

  it('is stored whatever characters were reported', async () => {
    work = async (task) => {
      task.progress(Number.NaN, 'NUL \0, half \ud800')
      task.output['na\0me'] = ['back\\slash', 'C:\\u0000', '\0', '\udc00', '😀']
      throw new Error('bad name "a\0b"')
    }

    const { state, errors, progress, progress_text, output } = await taskEnd(worker, (await add()).id)

    assert.deepEqual(
      { state, errors, progress, progress_text, output },
      {
        state: 'stopped',
        errors: ['bad name "a\ufffdb"'],
        progress: 0,
        progress_text: 'NUL \ufffd, half \ufffd',
        output: { 'na\ufffdme': ['back\\slash', 'C:\\u0000', '\ufffd', '\ufffd', '😀'] },
      },
    )
  })

  it('is stored as soon as it can be, when the database refused it at first', async () => {
    // a sequence counts what was refused: it is not rolled back
    await database.database.pool.query(`create sequence refusals;
      create function refuse() returns trigger language plpgsql as $$
        begin perform nextval('refusals'); raise exception 'not now'; end $$;
      create trigger refuse before update on tasks for each row
        when (new.state = 'stopped') execute function refuse()`)
    work = async () => {}
    const { id } = await add()
    await waitUntil('the end was refused', async () => {
      const { rows } = await database.database.pool.query('select is_called from refusals')
      return rows[0].is_called
    })

    await database.database.pool.query('drop trigger refuse on tasks')
    const { result, attempts } = await taskEnd(worker, id)

    assert.deepEqual({ result, attempts }, { result: 'success', attempts: 1 })
  })
})

describe('the progress of a running task', () => {
  it('can be seen while it runs, kept between 0 and 1', async () => {
    const gate = Promise.withResolvers<void>()
    work = async (task) => {
      task.progress(0.1, 'begun')
      task.progress(17, 'more than all')
      task.output['so far'] = 1
      await gate.promise
    }
    const { id } = await add()

    const shown = await waitUntil('the progress is stored', async () => {
      const row = await findTask(worker, id)
      return row.progress_text !== '' && row
    })

    assert.deepEqual(
      { state: shown.state, progress: shown.progress, text: shown.progress_text, output: shown.output },
      { state: 'running', progress: 1, text: 'more than all', output: { 'so far': 1 } },
    )
    gate.resolve()
    await taskEnd(worker, id)
  })
})

describe('cancelling a task', () => {
  it('stops a planned one at once, and frees its place in the queue', async () => {
    const gate = Promise.withResolvers<void>()
    const ran: string[] = []
    work = async ({ id }) => {
      ran.push(id)
      await gate.promise
    }
    const first = await add(['cancelled'])
    const planned = await add(['cancelled'])
    const last = await add(['cancelled'])
    await untilRunning(worker, first.id)

    const { state, result, started_at, ended_at } = await worker.tasks.cancelTask(administrator, planned.id)
    gate.resolve()
    await taskEnd(worker, last.id)

    assert.deepEqual({ state, result, started_at }, { state: 'stopped', result: 'cancelled', started_at: null })
    assert.notEqual(ended_at, null)
    assert.deepEqual(ran, [first.id, last.id])
  })

  it('aborts the signal of a running one, which ends as cancelled with what it did so far', async () => {
    work = async (task) => {
      task.output['done'] = 1
      await untilAborted(task.signal)
    }
    const { id } = await add()
    await untilRunning(worker, id)

    const asked = await worker.tasks.cancelTask(administrator, id)
    const { state, result, output, errors } = await taskEnd(worker, id)

    assert.equal(asked.is_cancel_requested, true)
    assert.deepEqual(
      { state, result, output, errors },
      { state: 'stopped', result: 'cancelled', output: { done: 1 }, errors: ['The task was cancelled'] },
    )
  })

  it('leaves a stopped one as it is', async () => {
    work = async () => {}
    const { id } = await add()
    const ended = await taskEnd(worker, id)

    const asked = await worker.tasks.cancelTask(administrator, id)

    assert.deepEqual(asked, ended)
  })

  it('lets a handler that does not heed its signal end as it will', async () => {
    const gate = Promise.withResolvers<void>()
    work = async (task) => {
      if (!task.signal.aborted) await once(task.signal, 'abort')
      await gate.promise
    }
    const { id } = await add()
    await untilRunning(worker, id)

    await worker.tasks.cancelTask(administrator, id)
    const { state } = await findTask(worker, id)
    gate.resolve()
    const { result } = await taskEnd(worker, id)

    assert.equal(state, 'running')
    assert.equal(result, 'success')
  })
})

describe('waiting for a task', () => {
  it('gives it as it is when the caller goes away first', async () => {
    const gate = Promise.withResolvers<void>()
    work = () => gate.promise
    const { id } = await add()
    const caller = new AbortController()
    const waiting = worker.tasks.waitForEnd(id, caller.signal)
    await untilRunning(worker, id)

    caller.abort()
    const { state } = await waiting

    assert.equal(state, 'running')
    gate.resolve()
    await taskEnd(worker, id)
  })

  it('is refused for a task that does not exist', async () => {
    await assert.rejects(worker.tasks.waitForEnd('6b0c0ef5-64b3-4b0c-9df0-4c8e1c8f3b1a', AbortSignal.timeout(5000)), {
      code: 'not_found',
    })
  })
})

describe('who may see a task', () => {
  const stranger: typeof administrator = { userId: 77, login: 'stranger', rights: new Set() }

  it('is an administrator, not a stranger', async () => {
    work = async () => {}
    const { id } = await add()
    await taskEnd(worker, id)

    await assert.rejects(worker.tasks.getTask(stranger, id), { code: 'not_found' })
    await assert.rejects(worker.tasks.cancelTask(stranger, id), { code: 'not_found' })
    const { total } = await worker.tasks.listTasks(stranger, {}, listRequest({}, 0))

    assert.equal(total, 0)
  })

  for (const id of ['', '1', 'x\0y', '6b0c0ef5-64b3-4b0c-9df0-4c8e1c8f3b1a']) {
    it(`is nobody when the id is ${JSON.stringify(id)}`, async () => {
      await assert.rejects(worker.tasks.getTask(administrator, id), { code: 'not_found' })
    })
  }
})
