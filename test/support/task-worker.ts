import { once } from 'node:events'
import type { Actor } from '../../src/platform/auth/actor.ts'
import { Database } from '../../src/platform/db/database.ts'
import { Notifications } from '../../src/platform/db/notifications.ts'
import { createLogger } from '../../src/platform/log.ts'
import type { TaskRow, TaskTables } from '../../src/platform/tasks/tables.ts'
import type { TaskContext } from '../../src/platform/tasks/task-handler.ts'
import { TaskRunner } from '../../src/platform/tasks/task-runner.ts'
import { TaskService } from '../../src/platform/tasks/task-service.ts'
import type { NewTask, Resource } from '../../src/platform/tasks/task-store.ts'
import { waitUntil } from './wait-until.ts'

export interface TaskWorkerOptions {
  /** By the kind of task; none: the worker only enqueues, cancels and looks. */
  readonly handlers?: Readonly<Record<string, (task: TaskContext) => Promise<void>>>
  readonly concurrency?: number
  readonly graceMs?: number
}

/** Everything that one process needs to have and to run tasks, on connections of its own. */
export interface TaskWorker extends AsyncDisposable {
  readonly database: Database
  readonly tasks: TaskService
}

export async function startTaskWorker(url: string, options: TaskWorkerOptions = {}): Promise<TaskWorker> {
  await using opened = new AsyncDisposableStack()
  const logger = createLogger('silent')
  const database = opened.use(new Database({ connection: { connectionString: url }, logger, maxConnections: 4 }))
  const notifications = opened.use(new Notifications(database, logger))
  await notifications.start()
  const tasks = new TaskService({
    database,
    notifications,
    visibleScopes: async () => [],
    editableScopes: async () => [],
  })
  const handlers = Object.entries(options.handlers ?? {}).map(([kind, run]) => ({ kind, run }))
  if (handlers.length > 0) {
    const { concurrency = 4, graceMs = 10_000 } = options
    const runner = opened.use(
      new TaskRunner({ database, notifications, tasks, logger, handlers, concurrency, graceMs }),
    )
    await runner.start()
  }
  const kept = opened.move()
  return { database, tasks, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** A task of the kind `work` that holds resources: `a` exclusively, `a:shared` together with others. */
export function newTask(resources: readonly string[] = [], changes: Partial<NewTask> = {}): NewTask {
  return {
    kind: 'work',
    label: 'Test::Work',
    action: 'Work on something',
    humanizedAction: 'Work',
    input: {},
    resources: resources.map(toResource),
    user: { id: undefined, login: 'admin' },
    ...changes,
  }
}

function toResource(text: string): Resource {
  const [name = '', mode] = text.split(':')
  return { name, mode: mode === 'shared' ? 'shared' : 'exclusive' }
}

/** Adds a task in a transaction of its own, which `beforeCommit` may hold open. */
export function enqueue(
  { database, tasks }: TaskWorker,
  task: NewTask,
  beforeCommit = async () => {},
): Promise<TaskRow> {
  return database
    .tables<TaskTables>()
    .transaction()
    .execute(async (tx) => {
      const row = await tasks.enqueue(tx, task)
      await beforeCommit()
      return row
    })
}

export const administrator: Actor = { userId: undefined, login: 'admin', rights: new Set(['admin']) }

export function findTask({ tasks }: TaskWorker, id: string): Promise<TaskRow> {
  return tasks.getTask(administrator, id)
}

export function untilRunning(worker: TaskWorker, id: string): Promise<TaskRow> {
  return waitUntil('the task runs', async () => {
    const row = await findTask(worker, id)
    return row.state === 'running' && row
  })
}

/** The task when it has stopped. */
export async function taskEnd({ tasks }: TaskWorker, id: string): Promise<TaskRow> {
  const row = await tasks.waitForEnd(id, AbortSignal.timeout(20_000))
  if (row.state !== 'stopped') throw new Error(`Waited in vain for the end of task ${id}: it is ${row.state}`)
  return row
}

/** What a handler does that heeds its signal and nothing else. */
export async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}

/** A part of a task, of the kind `part`. */
export function newPart(input: Record<string, unknown> = {}, kind = 'part') {
  const { resources: _, user: __, ...part } = newTask([], { kind, input })
  return part
}
