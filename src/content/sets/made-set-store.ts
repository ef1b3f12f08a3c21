import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ContentTables } from '../tables.ts'
import { insertVersion, type SetVersion } from './content-set-store.ts'
import { belongsTo } from './membership.ts'

type ContentDb = Db<ContentTables>

export interface MadeSet {
  /** The task that is to use it. */
  readonly taskId: string
  /** What it is made of; where two units have a file at one path, that of the earlier source is taken. */
  readonly sources: readonly SetVersion[]
  /** Which units of a source are taken; the table of units is called u. */
  isTaken(source: SetVersion): RawBuilder<boolean>
  /** Which of them are left out again, because of what else was taken. */
  readonly isIdle?: ((taken: SetVersion) => RawBuilder<boolean>) | undefined
}

/** Makes a set with one version, from parts of others. It belongs to the task until `adoptSets`. */
export async function makeSet(tx: ContentDb, { taskId, sources, isTaken, isIdle }: MadeSet): Promise<SetVersion> {
  const { id: setId } = await tx
    .insertInto('content_sets')
    .values({ latest_version: 1, task_id: taskId })
    .returning('id')
    .executeTakeFirstOrThrow()
  // conditions may ask for many units, which must not be searched for one by one
  await sql`set local work_mem = '128MB'`.execute(tx)
  for (const [index, source] of sources.entries()) {
    const isFree = index === 0 ? sql`true` : hasFreePaths(setId)
    await sql`
      insert into content_set_units (set_id, unit_id, added_in)
      select ${setId}, m.unit_id, 1 from content_set_units m join units u on u.id = m.unit_id
      where m.set_id = ${source.setId} and ${belongsTo(sql`${source.version}::integer`)} and ${isTaken(source)} and ${isFree}
      on conflict do nothing`.execute(tx)
  }
  const made = { setId, version: 1 }
  if (isIdle !== undefined) {
    await sql`
      delete from content_set_units m using units u where m.set_id = ${setId} and u.id = m.unit_id and ${isIdle(made)}`.execute(
      tx,
    )
  }
  await insertVersion(tx, made)
  return made
}

function hasFreePaths(setId: number): RawBuilder<boolean> {
  return sql`not exists (
    select 1 from unit_files own
    join unit_files other on other.path = own.path and other.unit_id <> own.unit_id
    join content_set_units taken on taken.unit_id = other.unit_id and taken.set_id = ${setId}
    where own.unit_id = m.unit_id)`
}

/** Notes that the sets which a task has made belong to repositories now. */
export async function adoptSets(tx: ContentDb, taskId: string): Promise<void> {
  await sql`
    update content_sets s set task_id = null where s.task_id = ${taskId}
      and exists (select 1 from repositories r where r.set_id = s.id)`.execute(tx)
}

/** Deletes the sets that a task has made and that no repository has. */
export async function deleteMadeSets(tx: ContentDb, taskId: string): Promise<void> {
  await sql`
    delete from content_sets s where s.task_id = ${taskId}
      and not exists (select 1 from repositories r where r.set_id = s.id)`.execute(tx)
}

/** The same for all tasks that have ended. */
export async function deleteForgottenSets(db: ContentDb): Promise<void> {
  await sql`
    delete from content_sets s where s.task_id is not null
      and not exists (select 1 from repositories r where r.set_id = s.id)
      and not exists (select 1 from tasks t where t.id = s.task_id and t.state <> 'stopped')`.execute(db)
}
