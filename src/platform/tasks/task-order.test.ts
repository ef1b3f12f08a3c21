import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { SeededRandom } from '../../../test/support/seeded-random.ts'
import {
  enqueue,
  newTask,
  startTaskWorker,
  type TaskWorker,
  type TaskWorkerOptions,
} from '../../../test/support/task-worker.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import { waitUntil } from '../../../test/support/wait-until.ts'
import type { TaskRow } from './tables.ts'
import type { TaskContext } from './task-handler.ts'
import type { NewTask } from './task-store.ts'

let database: TestDatabase
let client: TaskWorker
before(async () => {
  database = await createTestDatabase()
  client = await startTaskWorker(database.url)
})
after(async () => {
  await client[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const seed = 20_240_607

/** What happened to a task, in the one order of this process. */
interface Trace {
  readonly start: number
  readonly end: number
}

function tracer(work: () => Promise<void>) {
  const traces = new Map<string, Trace>()
  let clock = 0
  const run = async ({ id }: TaskContext) => {
    clock += 1
    const start = clock
    traces.set(id, { start, end: Number.POSITIVE_INFINITY })
    await work()
    clock += 1
    traces.set(id, { start, end: clock })
  }
  return { traces, run }
}

async function startWorkers(count: number, options: TaskWorkerOptions): Promise<AsyncDisposableStack> {
  const workers = new AsyncDisposableStack()
  for (let i = 0; i < count; i += 1) workers.use(await startTaskWorker(database.url, options))
  return workers
}

function randomTask(random: SeededRandom): NewTask {
  const count = random.pick([1, 1, 1, 2, 3])
  const names = Array.from({ length: count }, () => `resource:${random.below(7)}${random.chance(0.4) ? ':shared' : ''}`)
  return newTask(names.map((name) => name.replace('resource:', 'resource-')))
}

/** Names every pair of tasks that must exclude each other and did not, or that ran against the order of the queue. */
function clashes(rows: readonly TaskRow[], wanted: ReadonlyMap<string, NewTask>, traces: ReadonlyMap<string, Trace>) {
  const queue = [...rows].sort((a, b) => a.seq - b.seq)
  const found: string[] = []
  for (const [index, later] of queue.entries()) {
    for (const earlier of queue.slice(0, index)) {
      const isApart = (traces.get(earlier.id)?.end ?? Number.NaN) < (traces.get(later.id)?.start ?? Number.NaN)
      if (excludes(wanted.get(earlier.id), wanted.get(later.id)) && !isApart)
        found.push(`${earlier.seq} and ${later.seq}`)
    }
  }
  return found
}

function excludes(one: NewTask | undefined, other: NewTask | undefined): boolean {
  const modes = (task: NewTask | undefined, name: string) =>
    (task?.resources ?? []).filter((resource) => resource.name === name).map(({ mode }) => mode)
  return (one?.resources ?? []).some(({ name }) => {
    const met = modes(other, name)
    return met.length > 0 && [...modes(one, name), ...met].includes('exclusive')
  })
}

describe('a queue of tasks', () => {
  it('keeps the order of what excludes each other, with six workers on 300 tasks over 7 resources', async () => {
    const random = new SeededRandom(seed)
    const { traces, run } = tracer(async () => {
      for (let i = random.below(6); i > 0; i -= 1) await setImmediate()
    })
    const wanted = new Map<string, NewTask>()
    const rows: TaskRow[] = []
    for (let i = 0; i < 300; i += 1) {
      const task = randomTask(random)
      const row = await enqueue(client, task)
      wanted.set(row.id, task)
      rows.push(row)
    }

    await using _ = await startWorkers(6, { handlers: { work: run } })
    await waitUntil(
      'all tasks have run',
      () => traces.size === 300 && [...traces.values()].every(({ end }) => end < Infinity),
      60_000,
    )

    assert.deepEqual(clashes(rows, wanted, traces), [], `seed ${seed}`)
    assert.deepEqual(
      rows.map(({ seq }) => seq),
      rows.map(({ seq }) => seq).toSorted((a, b) => a - b),
    )
    const ended = await waitUntil('all ends are stored', async () => {
      const found = await client.tasks.findTasks(rows.map(({ id }) => id))
      return found.every(({ state }) => state === 'stopped') && found
    })
    assert.ok(ended.every(({ result, attempts }) => result === 'success' && attempts === 1))
  })

  it('keeps that order while many processes add tasks and are slow to commit', async () => {
    const random = new SeededRandom(seed)
    const idle = async () => {
      for (let i = random.below(20); i > 0; i -= 1) await setImmediate()
    }
    const { traces, run } = tracer(idle)
    const wanted = new Map<string, NewTask>()
    const rows: TaskRow[] = []
    await using _ = await startWorkers(3, { handlers: { work: run } })
    await using clients = await startClients(5)

    await Promise.all(
      clients.all.map(async (each) => {
        for (let i = 0; i < 40; i += 1) {
          const task = randomTask(random)
          const row = await enqueue(each, task, idle)
          wanted.set(row.id, task)
          rows.push(row)
        }
      }),
    )
    await waitUntil(
      'all tasks have run',
      () => traces.size === 200 && [...traces.values()].every(({ end }) => end < Infinity),
      60_000,
    )

    assert.deepEqual(clashes(rows, wanted, traces), [], `seed ${seed}`)
  })

  it('makes who adds a task wait for another one on the same resource that is not committed yet', async () => {
    await using second = await startTaskWorker(database.url)
    const gate = Promise.withResolvers<void>()
    const order: string[] = []
    const add = async (worker: TaskWorker, name: string, hold: () => Promise<void>) => {
      const row = await enqueue(worker, newTask(['contested'], { kind: 'nobody runs this' }), hold)
      order.push(name)
      return row
    }
    const inserted = Promise.withResolvers<void>()
    const first = add(client, 'first', () => {
      inserted.resolve()
      return gate.promise
    })
    await inserted.promise
    const other = add(second, 'second', async () => {})

    await waitUntil('the second waits for the lock of the queue', async () => {
      const { rows } = await client.database.pool.query('select from pg_locks where not granted and locktype = $1', [
        'advisory',
      ])
      return rows.length === 1
    })
    gate.resolve()
    const [earlier, later] = await Promise.all([first, other])

    assert.deepEqual(order, ['first', 'second'])
    assert.ok(earlier.seq < later.seq)
  })

  it('lets shared users of a resource run side by side', async () => {
    const gate = Promise.withResolvers<void>()
    const { traces, run } = tracer(() => gate.promise)
    await using _ = await startWorkers(2, { handlers: { work: run }, concurrency: 2 })

    for (let i = 0; i < 4; i += 1) await enqueue(client, newTask(['common:shared']))

    await waitUntil('all four run at once', () => traces.size === 4)
    gate.resolve()
  })

  it('does not let later shared users overtake an exclusive one', async () => {
    const gate = Promise.withResolvers<void>()
    const started: string[] = []
    const run = async ({ input }: TaskContext) => {
      started.push(String(input['name']))
      if (input['name'] === 'first') await gate.promise
    }
    await using _ = await startWorkers(2, { handlers: { work: run } })
    const add = (name: string, resource: string) => enqueue(client, newTask([resource], { input: { name } }))
    await add('first', 'busy:shared')
    await waitUntil('the first runs', () => started.length === 1)

    await add('exclusive', 'busy')
    for (let i = 0; i < 20; i += 1) await add('late', 'busy:shared')
    await add('elsewhere', 'free')
    await waitUntil('an unrelated one runs', () => started.includes('elsewhere'))
    gate.resolve()
    await waitUntil('all have run', () => started.length === 23)

    assert.deepEqual(started.slice(0, 4), ['first', 'elsewhere', 'exclusive', 'late'])
  })

  it('lets a task with two resources wait for both, and others wait for it on each', async () => {
    const gates = new Map(['a', 'b'].map((name) => [name, Promise.withResolvers<void>()]))
    const events: string[] = []
    const run = async ({ input }: TaskContext) => {
      events.push(`${input['name']} starts`)
      await gates.get(String(input['name']))?.promise
      events.push(`${input['name']} ends`)
    }
    await using _ = await startWorkers(2, { handlers: { work: run } })
    for (const [name, ...resources] of [
      ['a', 'left'],
      ['b', 'right'],
      ['both', 'left', 'right'],
      ['c', 'left'],
      ['d', 'right'],
    ] as const) {
      await enqueue(client, newTask(resources, { input: { name } }))
    }
    await waitUntil('both sides are taken', () => events.length === 2)

    gates.get('a')?.resolve()
    await waitUntil('the left side is given back', () => events.includes('a ends'))
    await enqueue(client, newTask([], { input: { name: 'probe' } }))
    await waitUntil('the workers have looked again', () => events.includes('probe ends'))
    const beforeRight = [...events]
    gates.get('b')?.resolve()
    await waitUntil('all have run', () => events.includes('c ends') && events.includes('d ends'))

    assert.ok(!beforeRight.some((event) => /^(both|c|d)/.test(event)), beforeRight.join(', '))
    const after = events.filter((event) => /^(both|c|d) starts|both ends/.test(event))
    assert.deepEqual(after.slice(0, 2), ['both starts', 'both ends'])
  })

  it('takes a resource that is named both shared and exclusive as exclusive', async () => {
    const row = await enqueue(client, newTask(['twice:shared', 'twice'], { kind: 'nobody runs this' }))

    const resources = await client.tasks.listResources(row.id)

    assert.deepEqual(resources, [{ resource: 'twice', is_exclusive: true }])
  })

  it('does not know a task whose transaction was rolled back', async () => {
    const gone = new Error('changed my mind')
    let id = ''
    const adding = client.database
      .tables<never>()
      .transaction()
      .execute(async (tx) => {
        id = (await client.tasks.enqueue(tx, newTask())).id
        throw gone
      })

    await assert.rejects(adding, gone)

    assert.deepEqual(await client.tasks.findTasks([id]), [])
  })
})

async function startClients(count: number) {
  const stack = new AsyncDisposableStack()
  const all: TaskWorker[] = []
  for (let i = 0; i < count; i += 1) all.push(stack.use(await startTaskWorker(database.url)))
  return { all, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
