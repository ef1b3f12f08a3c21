import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ContentTables } from '../tables.ts'

type ContentDb = Db<ContentTables>

/** One immutable version of a content set. */
export interface SetVersion {
  readonly setId: number
  readonly version: number
}

/** Adds an empty set in version 0. */
export async function insertContentSet(db: ContentDb): Promise<number> {
  const { id } = await db.insertInto('content_sets').defaultValues().returning('id').executeTakeFirstOrThrow()
  await db.insertInto('content_set_versions').values({ set_id: id, number: 0 }).execute()
  return id
}

export async function findLatestVersion(db: ContentDb, setId: number): Promise<number> {
  const row = await db
    .selectFrom('content_sets')
    .select('latest_version')
    .where('id', '=', setId)
    .executeTakeFirstOrThrow()
  return row.latest_version
}

/** When a version was made. */
export async function findVersionTime(db: ContentDb, { setId, version }: SetVersion): Promise<Date> {
  const row = await db
    .selectFrom('content_set_versions')
    .select('created_at')
    .where('set_id', '=', setId)
    .where('number', '=', version)
    .executeTakeFirstOrThrow()
  return row.created_at
}

export interface VersionChange {
  readonly setId: number
  /** The task whose staged units are the new content. */
  readonly taskId: string
  /** Whether units that are not staged leave the set. */
  readonly removesOthers: boolean
  /** A staged unit of one of these kinds takes the place of those that the set has. */
  readonly singleKinds?: readonly string[]
}

export interface VersionResult {
  readonly version: number
  readonly added: number
  readonly removed: number
}

/**
 * Makes the next version of a set from the units that a task has staged. Nothing differs: no new version.
 * To be called in a transaction, which also locks the set against other writers.
 */
export async function createVersion(
  tx: ContentDb,
  { setId, taskId, removesOthers, singleKinds = [] }: VersionChange,
): Promise<VersionResult> {
  const latest = await lockLatestVersion(tx, setId)
  const next = latest + 1
  const others = { setId, taskId, next }
  const removed = await (removesOthers ? removeOthers(tx, others) : removeReplaced(tx, { ...others, singleKinds }))
  const added = await addStaged(tx, { setId, taskId, next })
  if (added + removed === 0) return { version: latest, added, removed }
  await tx.updateTable('content_sets').set({ latest_version: next }).where('id', '=', setId).execute()
  await insertVersion(tx, { setId, version: next })
  return { version: next, added, removed }
}

interface NextVersion {
  readonly setId: number
  readonly taskId: string
  readonly next: number
}

async function removeOthers(tx: ContentDb, { setId, taskId, next }: NextVersion): Promise<number> {
  const result = await sql`
    update content_set_units m set removed_in = ${next}
    where m.set_id = ${setId} and m.removed_in is null
      and not exists (select 1 from sync_staging s where s.task_id = ${taskId} and s.unit_id = m.unit_id)`.execute(tx)
  return Number(result.numAffectedRows ?? 0)
}

async function removeReplaced(
  tx: ContentDb,
  { setId, taskId, next, singleKinds }: NextVersion & { readonly singleKinds: readonly string[] },
): Promise<number> {
  if (singleKinds.length === 0) return 0
  const result = await sql`
    update content_set_units m set removed_in = ${next} from units former
    where former.id = m.unit_id and m.set_id = ${setId} and m.removed_in is null and former.kind in (
        select u.kind from sync_staging s join units u on u.id = s.unit_id
        where s.task_id = ${taskId} and u.kind = any(${[...singleKinds]}::text[]))
      and not exists (select 1 from sync_staging s where s.task_id = ${taskId} and s.unit_id = m.unit_id)`.execute(tx)
  return Number(result.numAffectedRows ?? 0)
}

async function addStaged(tx: ContentDb, { setId, taskId, next }: NextVersion): Promise<number> {
  const result = await sql`
    insert into content_set_units (set_id, unit_id, added_in)
    select ${setId}, s.unit_id, ${next} from sync_staging s
    where s.task_id = ${taskId} and not exists (
      select 1 from content_set_units m where m.set_id = ${setId} and m.unit_id = s.unit_id and m.removed_in is null)`.execute(
    tx,
  )
  return Number(result.numAffectedRows ?? 0)
}

/** Adds a version with the counts of what is in the set now. */
export async function insertVersion(tx: ContentDb, { setId, version }: SetVersion): Promise<void> {
  await sql`
    insert into content_set_versions (set_id, number, counts)
    select ${setId}, ${version}, coalesce(jsonb_object_agg(kind, count), '{}') from (
      select u.kind, count(*) from content_set_units m join units u on u.id = m.unit_id
      where m.set_id = ${setId} and m.removed_in is null group by u.kind) as kinds`.execute(tx)
}

/** The names of units that a mirror sync would take out of the set, the first ones only. */
export async function listLeavingUnits(
  db: ContentDb,
  { setId, taskId }: { readonly setId: number; readonly taskId: string },
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ path: string }>`
    select f.path from content_set_units m join unit_files f on f.unit_id = m.unit_id
    where m.set_id = ${setId} and m.removed_in is null
      and not exists (select 1 from sync_staging s where s.task_id = ${taskId} and s.unit_id = m.unit_id)
    order by f.path limit ${limit}`.execute(db)
  return rows.map(({ path }) => path)
}

/**
 * Forgets the versions of sets that nobody needs: neither the latest, nor held by a copy, nor one that a publication points at. Units
 * of forgotten versions stay until housekeeping finds them unused.
 */
export async function purgeVersions(db: ContentDb, setIds: readonly number[]): Promise<void> {
  const isMeant = (id: string) => sql`${sql.ref(id)} = any(${setIds as number[]}::bigint[])`
  await sql`
    delete from content_set_versions v using content_sets s
    where ${isMeant('s.id')} and v.set_id = s.id and v.number <> s.latest_version
      and not exists (select 1 from publications p where p.set_id = s.id and p.set_version = v.number)
      and not exists (select 1 from repositories r where r.set_id = s.id and r.set_version = v.number)`.execute(db)
  await sql`
    delete from content_set_units m where ${isMeant('m.set_id')} and m.removed_in is not null and not exists (
      select 1 from content_set_versions v
      where v.set_id = m.set_id and v.number >= m.added_in and v.number < m.removed_in)`.execute(db)
}

/** Locks a set against other writers until the transaction ends; gives its latest version. */
export async function lockLatestVersion(tx: ContentDb, setId: number): Promise<number> {
  const set = await tx
    .selectFrom('content_sets')
    .select('latest_version')
    .where('id', '=', setId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return set.latest_version
}
