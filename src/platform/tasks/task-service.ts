import { randomUUID } from 'node:crypto'
import { type Kysely, type SqlBool, sql } from 'kysely'
import { type Actor, forbidden, hasRight } from '../auth/actor.ts'
import type { Database, Db } from '../db/database.ts'
import type { Notifications } from '../db/notifications.ts'
import { notFound } from '../errors.ts'
import type { Listed, ListRequest } from '../search/list-request.ts'
import { isUuid } from '../uuid.ts'
import { requestCancel } from './held-task-store.ts'
import type { TaskRow, TaskTables } from './tables.ts'
import {
  countTasks,
  findTask,
  hasChildren,
  insertChildTask,
  insertTask,
  listResources,
  listTasks,
  listUnfinishedChildren,
  listUnfinishedOn,
  lockQueues,
  type NewChildTask,
  type NewTask,
  type TaskCount,
  type TaskFilter,
  taskChannel,
} from './task-store.ts'

/** Scopes of tasks, in the words of the parts that make tasks. */
type Scopes = (actor: Actor) => Promise<readonly string[]>

export interface TaskServiceOptions {
  readonly database: Database
  readonly notifications: Notifications
  /** Those whose tasks somebody may see besides their own. */
  readonly visibleScopes: Scopes
  /** Those whose tasks somebody may cancel besides their own. */
  readonly editableScopes: Scopes
}

/** How long parts of a cancelled task may take to heed it. */
const childGraceMs = 10_000

/** Puts tasks into the queue, shows them, waits for them and cancels them; running them is the runner's work. */
export class TaskService {
  readonly #options: TaskServiceOptions
  readonly #db: Kysely<TaskTables>

  constructor(options: TaskServiceOptions) {
    this.#options = options
    this.#db = options.database.tables<TaskTables>()
  }

  /** Adds a task within the caller's transaction: it exists when, and only when, that commits. */
  async enqueue<Tables extends TaskTables>(tx: Db<Tables>, task: NewTask): Promise<TaskRow> {
    return insertTask(tx as unknown as Db<TaskTables>, randomUUID(), task)
  }

  async getTask(actor: Actor, id: string): Promise<TaskRow> {
    const task = isUuid(id) ? await findTask(this.#db, id) : undefined
    if (task === undefined || !(await this.#isVisible(actor, task))) throw notFound('task', id)
    return task
  }

  async listTasks(actor: Actor, filter: TaskFilter, request: ListRequest): Promise<Listed<TaskRow>> {
    return listTasks(this.#db, { ...filter, visibleTo: await this.#viewer(actor) }, request)
  }

  /** How many tasks the actor sees of each state and result. */
  async summarizeTasks(actor: Actor): Promise<TaskCount[]> {
    return countTasks(this.#db, { visibleTo: await this.#viewer(actor) })
  }

  /** Tasks by their ids, whoever asks: for answers that show a task beside something visible. */
  async findTasks(ids: readonly string[]): Promise<TaskRow[]> {
    return this.#findAll(ids)
  }

  async listResources(taskId: string): Promise<{ resource: string; is_exclusive: boolean }[]> {
    return listResources(this.#db, taskId)
  }

  async hasChildren(taskId: string): Promise<boolean> {
    return hasChildren(this.#db, taskId)
  }

  /**
   * Wishes a task to end; what runs heeds it when it can. A stopped task is left as it is.
   *
   * @throws AppError `forbidden` for who may only see it
   */
  async cancelTask(actor: Actor, id: string): Promise<TaskRow> {
    if (!(await this.#isIn(this.#options.editableScopes, actor, await this.getTask(actor, id))))
      throw forbidden('edit_foreman_tasks')
    await this.#db.transaction().execute((tx) => requestCancel(tx, id))
    return this.getTask(actor, id)
  }

  /** Whether a task holds or waits for a resource, as the caller's transaction sees it. */
  async hasUnfinished<Tables extends TaskTables>(tx: Db<Tables>, resource: string): Promise<boolean> {
    return (await listUnfinishedOn(tx as unknown as Db<TaskTables>, resource)).length > 0
  }

  /** Cancels the tasks that hold or wait for a resource, and gives when all have stopped, or when `signal` aborts. */
  async endTasksOn(resource: string, signal: AbortSignal): Promise<void> {
    const ids = await listUnfinishedOn(this.#db, resource)
    for (const id of ids) await this.#db.transaction().execute((tx) => requestCancel(tx, id))
    if (ids.length > 0) await this.#waitForAll(ids, signal)
  }

  /** Gives the task as soon as it has stopped, or as it is when `signal` aborts. */
  async waitForEnd(id: string, signal: AbortSignal): Promise<TaskRow> {
    const [row] = await this.#waitForAll([id], signal)
    if (row === undefined) throw notFound('task', id)
    return row
  }

  /** Runs parts of a task and gives them when all have stopped; aborting cancels them first. */
  async runChildren(parent: TaskRow, children: readonly NewChildTask[], signal: AbortSignal): Promise<TaskRow[]> {
    const common = {
      parentId: parent.id,
      user: { id: parent.user_id ?? undefined, login: parent.username },
      ...(parent.scope === null ? {} : { scope: parent.scope }),
    }
    const rows = await this.#db.transaction().execute(async (tx) => {
      await lockQueues(
        tx,
        children.flatMap(({ resources = [] }) => resources),
      )
      const inserted: TaskRow[] = []
      for (const child of children)
        inserted.push(await insertChildTask(tx, randomUUID(), { resources: [], ...child, ...common }))
      return inserted
    })
    const ids = rows.map(({ id }) => id)
    const ended = await this.#waitForAll(ids, signal)
    if (!signal.aborted) return ended
    await this.endChildren(parent.id)
    signal.throwIfAborted()
    return ended
  }

  /**
   * Cancels the parts of a task that have not stopped, and waits for them: they must go on neither beside those of a
   * new run nor after the task has given its resources back.
   */
  async endChildren(parentId: string): Promise<void> {
    const ids = await listUnfinishedChildren(this.#db, parentId)
    if (ids.length === 0) return
    for (const id of ids) await this.#db.transaction().execute((tx) => requestCancel(tx, id))
    await this.#waitForAll(ids, AbortSignal.timeout(childGraceMs))
  }

  async #waitForAll(ids: readonly string[], signal: AbortSignal): Promise<TaskRow[]> {
    let isWoken = Promise.withResolvers<void>()
    const unsubscribe = await this.#options.notifications.subscribe(taskChannel, () => isWoken.resolve())
    const timer = setInterval(() => isWoken.resolve(), 1000)
    const wake = () => isWoken.resolve()
    signal.addEventListener('abort', wake)
    try {
      while (true) {
        isWoken = Promise.withResolvers<void>()
        const rows = await this.#findAll(ids)
        if (signal.aborted || rows.every(({ state }) => state === 'stopped')) return rows
        await isWoken.promise
      }
    } finally {
      unsubscribe()
      clearInterval(timer)
      signal.removeEventListener('abort', wake)
    }
  }

  async #findAll(ids: readonly string[]): Promise<TaskRow[]> {
    if (ids.length === 0) return []
    return this.#db
      .selectFrom('tasks')
      .selectAll()
      .where(sql<SqlBool>`id = any(${ids as string[]}::uuid[])`)
      .orderBy('seq')
      .execute()
  }

  async #isVisible(actor: Actor, task: TaskRow): Promise<boolean> {
    return this.#isIn(this.#options.visibleScopes, actor, task)
  }

  async #isIn(scopes: Scopes, actor: Actor, { user_id, scope }: TaskRow): Promise<boolean> {
    if (hasRight(actor, 'admin') || (user_id !== null && user_id === actor.userId)) return true
    return scope !== null && (await scopes(actor)).includes(scope)
  }

  async #viewer(actor: Actor): Promise<TaskFilter['visibleTo']> {
    if (hasRight(actor, 'admin')) return undefined
    return { userId: actor.userId as number, scopes: await this.#options.visibleScopes(actor) }
  }
}
