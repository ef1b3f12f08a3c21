import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { storableJson, storableText } from '../db/storable.ts'
import type { TaskResult, TaskTables } from './tables.ts'
import { taskChannel } from './task-store.ts'

type TaskDb = Db<TaskTables>

/** A running task as its holder names it: whatever was taken over by somebody else no longer matches. */
export interface HeldTask {
  readonly id: string
  readonly holder: number
}

/** Locks the row of a task against being taken over until the transaction ends; false when it is no longer held. */
export async function lockHeldTask(db: TaskDb, { id, holder }: HeldTask): Promise<boolean> {
  const row = await db
    .selectFrom('tasks')
    .select('id')
    .where('id', '=', id)
    .where('holder', '=', holder)
    .forShare()
    .executeTakeFirst()
  return row !== undefined
}

export interface TaskReport {
  readonly progress: number
  readonly text: string
  readonly output: Record<string, unknown>
}

export async function saveProgress(
  db: TaskDb,
  { id, holder }: HeldTask,
  { progress, text, output }: TaskReport,
): Promise<void> {
  await db
    .updateTable('tasks')
    .set({ progress, progress_text: storableText(text), output: storableJson(output) })
    .where('id', '=', id)
    .where('holder', '=', holder)
    .execute()
}

export interface TaskEnd extends TaskReport {
  readonly result: Exclude<TaskResult, 'pending'>
  readonly errors: readonly string[]
}

/** Ends a held task. A task that was taken over meanwhile is left to its new holder. */
export async function stopTask(
  db: TaskDb,
  { id, holder }: HeldTask,
  { result, progress, text, output, errors }: TaskEnd,
): Promise<void> {
  const isDone = result === 'success' || result === 'warning'
  await sql`
    update tasks set state = 'stopped', result = ${result}, holder = null, ended_at = now(),
      progress = ${isDone ? 1 : progress}, progress_text = ${storableText(text)},
      output = ${storableJson(output)}, errors = ${storableJson(errors)}
    where id = ${id} and holder = ${holder}`.execute(db)
  await announceStopped(db, id)
}

/** Puts a held task back in its old place in the queue, for another process to start again; one that is to end has ended. */
export async function releaseTask(db: TaskDb, { id, holder }: HeldTask): Promise<void> {
  await sql`
    with released as (
      update tasks set holder = null,
        state = case when is_cancel_requested then 'stopped' else 'planned' end,
        result = case when is_cancel_requested then 'cancelled' else result end,
        ended_at = case when is_cancel_requested then now() end
      where id = ${id} and holder = ${holder} returning id, state
    )
    select pg_notify(${taskChannel}, json_build_object(state, id)::text) from released`.execute(db)
}

/** A task whose run was killed may have parts that still run: it keeps its resources until its next run has ended them. */
const isBusy = sql<boolean>`(state = 'running' or exists (
  select 1 from tasks part where part.parent_id = tasks.id and part.state = 'running'))`

/**
 * Notes the wish to end a task and its parts. What does not run yet stops at once; who runs the rest is told.
 */
export async function requestCancel(db: TaskDb, id: string): Promise<void> {
  await sql`
    with recursive tree as (
      select id from tasks where id = ${id} and state <> 'stopped'
      union all
      select child.id from tasks child join tree on child.parent_id = tree.id where child.state <> 'stopped'
    )
    update tasks set is_cancel_requested = true,
      state = case when ${isBusy} then state else 'stopped' end,
      result = case when ${isBusy} then result else 'cancelled' end,
      ended_at = case when ${isBusy} then null else now() end
    where id in (select id from tasks where id in (select id from tree) order by seq for update)
      and state <> 'stopped'`.execute(db)
  await sql`select pg_notify(${taskChannel}, ${JSON.stringify({ cancelled: id })})`.execute(db)
}

/** Which of these running tasks are wanted to end. */
export async function findCancelled(db: TaskDb, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('tasks')
    .select('id')
    .where('id', 'in', ids)
    .where('is_cancel_requested', '=', true)
    .execute()
  return rows.map(({ id }) => id)
}

async function announceStopped(db: TaskDb, id: string): Promise<void> {
  await sql`select pg_notify(${taskChannel}, ${JSON.stringify({ stopped: id })})`.execute(db)
}
