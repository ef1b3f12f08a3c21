import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { DiscoveredUnit, StoredUnit } from '../content-type.ts'
import type { ContentTables } from '../tables.ts'

type ContentDb = Db<ContentTables>

/**
 * Notes where the files of units can be fetched from whose bytes are not stored; a later sync knows better. What is known
 * already is only read.
 */
export async function saveRemoteFiles(
  db: ContentDb,
  rootId: number,
  { units, stored }: { readonly units: readonly StoredUnit<DiscoveredUnit>[]; readonly stored: ReadonlySet<string> },
): Promise<void> {
  const files = units.flatMap(({ id, unit }) =>
    unit.files.filter(({ sha256 }) => !stored.has(sha256)).map(({ path, url }) => ({ id, path, url: url.href })),
  )
  if (files.length === 0) return
  await sql`
    insert into remote_files (root_id, unit_id, path, url)
    select ${rootId}, given.* from unnest(
      ${files.map(({ id }) => id)}::bigint[], ${files.map(({ path }) => path)}::text[],
      ${files.map(({ url }) => url)}::text[]) as given (unit_id, path, url)
    where not exists (
      select 1 from remote_files r
      where r.root_id = ${rootId} and r.unit_id = given.unit_id and r.path = given.path and r.url = given.url)
    on conflict (root_id, unit_id, path) do update set url = excluded.url`.execute(db)
}

/** Where the repositories of a root get a file from; undefined when nobody can tell. */
export async function findRemoteFile(
  db: ContentDb,
  { rootId, unitId, path }: { readonly rootId: number; readonly unitId: number; readonly path: string },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('remote_files')
    .select('url')
    .where('root_id', '=', rootId)
    .where('unit_id', '=', unitId)
    .where('path', '=', path)
    .executeTakeFirst()
  return row?.url
}

/**
 * Says of all files with these bytes that they are stored, and gives those of the bytes that are. Who gives back what
 * nobody needs, in this process or another, may have been faster.
 */
export async function linkStoredFiles(db: ContentDb, digests: readonly string[]): Promise<Set<string>> {
  // in one order, or two processes could wait for each other's rows in a circle
  const { rows } = await sql<{ sha256: string }>`
    with present as materialized (
      select sha256 from artifacts where sha256 = any(${digests}::text[]) order by sha256 for key share
    ), wanted as materialized (
      select unit_id, path from unit_files
      where sha256 = any(array(select sha256 from present)) and artifact is null
      order by unit_id, path for no key update
    ), linked as (
      update unit_files f set artifact = f.sha256 from wanted where f.unit_id = wanted.unit_id and f.path = wanted.path
    )
    select sha256 from present`.execute(db)
  return new Set(rows.map(({ sha256 }) => sha256))
}

/** Forgets where files came from that no version of the root's repositories holds. */
export async function purgeRemoteFiles(db: ContentDb, rootId: number): Promise<void> {
  await sql`
    delete from remote_files f where f.root_id = ${rootId} and not exists (
      select 1 from repositories r join content_set_units m on m.set_id = r.set_id
      where r.root_id = f.root_id and m.unit_id = f.unit_id)`.execute(db)
}
