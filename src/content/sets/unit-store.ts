import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { HeldUnit, NewUnit, StoredUnit } from '../content-type.ts'
import type { ContentTables } from '../tables.ts'

type ContentDb = Db<ContentTables>

/**
 * Gives the ids of units, adding those that are new, and makes all of them safe from housekeeping for an hour.
 * Known and new ones come back alike; a unit that is given twice comes back once.
 */
export async function saveUnits<Unit extends NewUnit>(
  db: ContentDb,
  units: readonly Unit[],
): Promise<StoredUnit<Unit>[]> {
  const byKey = new Map(units.map((unit) => [`${unit.kind}\0${unit.naturalKey}`, unit]))
  // one order for everybody, or two syncs of the same content would wait for each other's rows in a circle
  const ordered = [...byKey.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, unit]) => unit)
  const { rows } = await sql<{ id: number; kind: string; natural_key: string }>`
    insert into units (kind, natural_key)
    select * from unnest(${ordered.map(({ kind }) => kind)}::text[], ${ordered.map(({ naturalKey }) => naturalKey)}::text[])
    on conflict on constraint units_natural_key do update set touched_at = now()
    returning id, kind, natural_key`.execute(db)
  return rows.map(({ id, kind, natural_key }) => ({ id, unit: byKey.get(`${kind}\0${natural_key}`) as Unit }))
}

/**
 * Keeps units that were known a moment ago from housekeeping for a while. Those that the latest version of the set holds need
 * nothing, as long as nobody else works on the set.
 *
 * @throws AppError `conflict` when one was deleted meanwhile
 */
export async function keepUnits(tx: ContentDb, setId: number, ids: readonly number[]): Promise<void> {
  const { rows: absent } = await sql<{ id: number }>`
    select id from unnest(${[...new Set(ids)]}::bigint[]) as id where not exists (
      select 1 from content_set_units m where m.set_id = ${setId} and m.unit_id = id and m.removed_in is null)
    order by id`.execute(tx)
  const { rows: kept } = await sql`
    update units set touched_at = now() where id = any(${absent.map(({ id }) => id)}::bigint[]) returning id`.execute(
    tx,
  )
  if (kept.length < absent.length)
    throw new AppError('conflict', 'Cannot go on: something that was known was deleted meanwhile; sync again')
}

/** The ids of those of these units that are stored, by their natural keys. */
export async function findStoredIds(
  db: ContentDb,
  units: readonly Pick<NewUnit, 'kind' | 'naturalKey'>[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: number; natural_key: string }>`
    select u.id, u.natural_key from units u join unnest(
      ${units.map(({ kind }) => kind)}::text[], ${units.map(({ naturalKey }) => naturalKey)}::text[]
    ) as given (kind, natural_key) on given.kind = u.kind and given.natural_key = u.natural_key`.execute(db)
  return new Map(rows.map((row) => [row.natural_key, row.id]))
}

/** The units of these kinds that the latest version of a set holds, by their natural keys. */
export async function listHeldUnits(
  db: ContentDb,
  setId: number,
  kinds: readonly string[],
): Promise<ReadonlyMap<string, HeldUnit>> {
  const { rows } = await sql<HeldUnit & { natural_key: string }>`
    select u.id, u.kind, u.natural_key, f.path, f.size_bytes as "sizeBytes"
    from content_set_units m join units u on u.id = m.unit_id join unit_files f on f.unit_id = u.id
    where m.set_id = ${setId} and m.removed_in is null and u.kind = any(${kinds as string[]})`.execute(db)
  return new Map(rows.map(({ natural_key: key, ...held }) => [key, held]))
}

/** Adds the files of units; those that are known stay as they are. `stored` are the digests whose bytes we have. */
export async function saveUnitFiles(
  db: ContentDb,
  units: readonly StoredUnit[],
  stored: ReadonlySet<string>,
): Promise<void> {
  const files = units.flatMap(({ id, unit }) => unit.files.map((file) => ({ id, ...file })))
  await sql`
    insert into unit_files (unit_id, path, sha256, size_bytes, artifact)
    select * from unnest(
      ${files.map(({ id }) => id)}::bigint[], ${files.map(({ path }) => path)}::text[],
      ${files.map(({ sha256 }) => sha256)}::text[], ${files.map(({ sizeBytes }) => sizeBytes)}::bigint[],
      ${files.map(({ sha256 }) => (stored.has(sha256) ? sha256 : null))}::text[]) as given (unit_id, path, sha256, size_bytes, artifact)
    order by 1, 2
    on conflict (unit_id, path) do update set artifact = excluded.artifact
      where unit_files.artifact is null and excluded.artifact is not null`.execute(db)
}

/** Notes that a running task has found these units; repeating it changes nothing. */
export async function stageUnits(db: ContentDb, taskId: string, unitIds: readonly number[]): Promise<void> {
  await sql`
    insert into sync_staging (task_id, unit_id) select ${taskId}, id from unnest(${unitIds as number[]}::bigint[]) as id
    on conflict do nothing`.execute(db)
}

export async function clearStaging(db: ContentDb, taskId: string): Promise<void> {
  await db.deleteFrom('sync_staging').where('task_id', '=', taskId).execute()
}

/**
 * Deletes units that no set and no running task holds and that nobody touched since that moment (an hour ago), a bounded
 * number at once.
 */
export async function deleteUnusedUnits(db: ContentDb, touchedBefore?: Date): Promise<number> {
  const cutoff = touchedBefore === undefined ? sql`now() - interval '1 hour'` : sql`${touchedBefore}::timestamptz`
  const result = await sql`
    delete from units u where u.id in (
      select id from units where touched_at < ${cutoff}
        and not exists (select 1 from content_set_units m where m.unit_id = units.id)
        and not exists (select 1 from sync_staging s where s.unit_id = units.id)
      limit 5000 for update skip locked)`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}

/** Forgets what tasks had found that ended without making a version of it. */
export async function clearEndedStaging(db: ContentDb): Promise<void> {
  await sql`
    delete from sync_staging s using tasks t where t.id = s.task_id and t.state = 'stopped'`.execute(db)
}
