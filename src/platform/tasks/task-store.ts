import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { storableJson } from '../db/storable.ts'
import type { Listed, ListRequest } from '../search/list-request.ts'
import { listRows } from '../search/list-rows.ts'
import type { HumanizedInput, TaskResult, TaskRow, TaskState, TaskTables } from './tables.ts'
import { taskSearch } from './task-search.ts'

type TaskDb = Db<TaskTables>

export interface Resource {
  /** Such as `repository:17`. */
  readonly name: string
  readonly mode: 'exclusive' | 'shared'
}

export interface NewTask {
  /** Which handler runs it. */
  readonly kind: string
  /** The name that Katello's clients know this kind of task by. */
  readonly label: string
  /** The whole action in words: `Synchronize repository 'Zoo'`. */
  readonly action: string
  readonly humanizedAction: string
  readonly humanizedInput?: readonly HumanizedInput[]
  readonly input: Record<string, unknown>
  readonly resources: readonly Resource[]
  readonly user: { readonly id: number | undefined; readonly login: string }
  readonly scope?: string
}

/** The channel on which new tasks and wishes to cancel are announced to all processes. */
export const taskChannel = 'backhaul_tasks'

const queueLockClass = 7_206_412

/**
 * Adds a task at the end of the queue of each of its resources. The queue locks, taken in one order by everybody and
 * held until the transaction ends, make the numbers of two tasks that share a resource follow the order in which they become visible.
 */
export async function insertTask(db: TaskDb, id: string, task: NewTask): Promise<TaskRow> {
  await lockQueues(db, task.resources)
  return insertQueued(db, id, { ...task, parentId: null })
}

/**
 * Adds a part of a running task: it is covered by its parent's resources, and waits for nobody unless it has resources of
 * its own. Who adds several at once locks the queues of all of them before.
 */
export async function insertChildTask(
  db: TaskDb,
  id: string,
  task: NewTask & { readonly parentId: string },
): Promise<TaskRow> {
  return insertQueued(db, id, task)
}

/** Keeps others from adding tasks to the queues of these resources until the transaction ends. */
export async function lockQueues(db: TaskDb, resources: readonly Resource[]): Promise<void> {
  const names = resources.map(({ name }) => name)
  await sql`select pg_advisory_xact_lock(${queueLockClass}, key)
    from (select distinct hashtext(name) as key from unnest(${names}::text[]) as name order by key) as keys`.execute(db)
}

async function insertQueued(
  db: TaskDb,
  id: string,
  task: NewTask & { readonly parentId: string | null },
): Promise<TaskRow> {
  const row = await insertRow(db, id, task)
  await insertResources(db, id, task.resources)
  await sql`select pg_notify(${taskChannel}, ${JSON.stringify({ planned: id })})`.execute(db)
  return row
}

async function insertRow(
  db: TaskDb,
  id: string,
  task: NewTask & { readonly parentId: string | null },
): Promise<TaskRow> {
  return db
    .insertInto('tasks')
    .values({
      id,
      kind: task.kind,
      label: task.label,
      action: task.action,
      humanized_action: task.humanizedAction,
      humanized_input: storableJson(task.humanizedInput ?? []),
      input: storableJson(task.input),
      parent_id: task.parentId,
      user_id: task.user.id ?? null,
      username: task.user.login,
      scope: task.scope ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

async function insertResources(db: TaskDb, taskId: string, resources: readonly Resource[]): Promise<void> {
  if (resources.length === 0) return
  const exclusive = new Set(resources.filter(({ mode }) => mode === 'exclusive').map(({ name }) => name))
  const names = [...new Set(resources.map(({ name }) => name))]
  const rows = names.map((resource) => ({ task_id: taskId, resource, is_exclusive: exclusive.has(resource) }))
  await db.insertInto('task_resources').values(rows).execute()
}

/**
 * Takes the oldest task that can run: none of its resources is held, or waited for by an earlier one, in a way that
 * excludes it. Parts of running tasks that wait for nobody go first, lest ever more parents wait for them. Several processes never get the
 * same task, and pass over what another is just taking.
 */
export async function claimTask(db: TaskDb, holder: number, kinds: readonly string[]): Promise<TaskRow | undefined> {
  const { rows } = await sql<TaskRow>`
    update tasks set state = 'running', holder = ${holder}, attempts = attempts + 1,
      started_at = coalesce(started_at, now())
    where id = coalesce((
      select id from tasks
      where state = 'planned' and parent_id is not null and kind = any(${kinds as string[]})
        and not exists (select 1 from task_resources own where own.task_id = tasks.id)
      order by seq limit 1
      for update skip locked
    ), (
      select t.id from tasks t
      where t.state = 'planned' and t.kind = any(${kinds as string[]})
        and not exists (
          select 1 from task_resources mine
            join task_resources theirs on theirs.resource = mine.resource and theirs.task_id <> mine.task_id
            join tasks other on other.id = theirs.task_id and other.state <> 'stopped' and other.seq < t.seq
          where mine.task_id = t.id and (mine.is_exclusive or theirs.is_exclusive)
        )
      order by t.seq limit 1
      for update of t skip locked
    ))
    returning *`.execute(db)
  return rows[0]
}

export async function findTask(db: TaskDb, id: string): Promise<TaskRow | undefined> {
  return db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst()
}

export interface TaskFilter {
  readonly state?: string | undefined
  readonly result?: string | undefined
  readonly label?: string | undefined
  readonly parentId?: string | undefined
  readonly ids?: readonly string[] | undefined
  /** Tasks of this user, or of one of these scopes; all when undefined. */
  readonly visibleTo?: { readonly userId: number; readonly scopes: readonly string[] } | undefined
}

/** A part of a running task: it belongs to whom its parent belongs to. */
export type NewChildTask = Omit<NewTask, 'resources' | 'user' | 'scope'> & {
  /** What it waits for besides what its parent holds. */
  readonly resources?: readonly Resource[]
}

/** The newest first when no order is asked for. */
export async function listTasks(db: TaskDb, filter: TaskFilter, request: ListRequest): Promise<Listed<TaskRow>> {
  return listRows(db.selectFrom('tasks').selectAll().where(conditionOf(filter)), taskSearch, request)
}

export interface TaskCount {
  readonly state: TaskState
  readonly result: TaskResult
  readonly count: number
  /** Of the one that was started last. */
  readonly started_at: Date | null
}

/** How many tasks there are of each state and result. */
export async function countTasks(db: TaskDb, filter: TaskFilter): Promise<TaskCount[]> {
  return db
    .selectFrom('tasks')
    .select(['state', 'result'])
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max('started_at').as('started_at')])
    .where(conditionOf(filter))
    .groupBy(['state', 'result'])
    .orderBy('state')
    .orderBy('result')
    .execute()
}

function conditionOf({ visibleTo, ...wanted }: TaskFilter) {
  const { state = null, result = null, label = null, parentId = null, ids = null } = wanted
  return sql<SqlBool>`(${state}::text is null or state = ${state}) and (${result}::text is null or result = ${result})
    and (${label}::text is null or label = ${label}) and (${parentId}::uuid is null or parent_id = ${parentId}::uuid)
    and (${ids}::text[] is null or id::text = any(${ids}::text[]))
    and (${visibleTo === undefined} or user_id = ${visibleTo?.userId ?? null} or scope = any(${visibleTo?.scopes ?? []}))`
}

export async function hasChildren(db: TaskDb, parentId: string): Promise<boolean> {
  const row = await db.selectFrom('tasks').select('id').where('parent_id', '=', parentId).limit(1).executeTakeFirst()
  return row !== undefined
}

export async function listUnfinishedChildren(db: TaskDb, parentId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('tasks')
    .select('id')
    .where('parent_id', '=', parentId)
    .where('state', '<>', 'stopped')
    .execute()
  return rows.map(({ id }) => id)
}

/** The tasks that hold or wait for a resource. */
export async function listUnfinishedOn(db: TaskDb, resource: string): Promise<string[]> {
  const rows = await db
    .selectFrom('task_resources as r')
    .innerJoin('tasks as t', 't.id', 'r.task_id')
    .select('t.id')
    .where('r.resource', '=', resource)
    .where('t.state', '<>', 'stopped')
    .execute()
  return rows.map(({ id }) => id)
}

export async function listResources(
  db: TaskDb,
  taskId: string,
): Promise<{ resource: string; is_exclusive: boolean }[]> {
  return db
    .selectFrom('task_resources')
    .select(['resource', 'is_exclusive'])
    .where('task_id', '=', taskId)
    .orderBy('resource')
    .execute()
}
