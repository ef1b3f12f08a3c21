import { type Kysely, sql } from 'kysely'
import type { StoredUnit } from '../../content-type.ts'
import type { ManifestEntry } from './manifest.ts'

/** Adds the rows of units that are new; a file unit is its path and its bytes, so others need no change. */
export async function saveFileUnits(db: Kysely<unknown>, units: readonly StoredUnit[]): Promise<void> {
  const files = units.flatMap(({ id, unit }) => unit.files.map((file) => ({ id, ...file })))
  await sql`
    insert into file_units (unit_id, path, sha256, size_bytes)
    select * from unnest(
      ${files.map(({ id }) => id)}::bigint[], ${files.map(({ path }) => path)}::text[],
      ${files.map(({ sha256 }) => sha256)}::text[], ${files.map(({ sizeBytes }) => sizeBytes)}::bigint[])
    on conflict (unit_id) do nothing`.execute(db)
}

const pageSize = 5000

/** The files of one set version in the order of their paths, page by page. */
export async function* listFileUnits(
  db: Kysely<unknown>,
  { setId, version }: { readonly setId: number; readonly version: number },
): AsyncGenerator<readonly ManifestEntry[]> {
  let after: string | undefined
  while (true) {
    const { rows } = await sql<ManifestEntry>`
      select f.path, f.sha256, f.size_bytes as "sizeBytes"
      from content_set_units m join file_units f on f.unit_id = m.unit_id
      where m.set_id = ${setId} and m.added_in <= ${version} and (m.removed_in is null or m.removed_in > ${version})
        and (${after ?? null}::text is null or f.path > ${after ?? null})
      order by f.path limit ${pageSize}`.execute(db)
    if (rows.length === 0) return
    yield rows
    after = rows.at(-1)?.path
  }
}
