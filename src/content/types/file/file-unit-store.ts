import { type Kysely, sql } from 'kysely'
import type { ManifestEntry } from './manifest.ts'

const pageSize = 20_000

/** The files of one set version in the order of their paths, page by page. */
export async function* listFileUnits(
  db: Kysely<unknown>,
  { setId, version }: { readonly setId: number; readonly version: number },
): AsyncGenerator<readonly ManifestEntry[]> {
  let after: string | undefined
  while (true) {
    const { rows } = await sql<ManifestEntry>`
      select f.path, f.sha256, f.size_bytes as "sizeBytes"
      from content_set_units m join unit_files f on f.unit_id = m.unit_id
      where m.set_id = ${setId} and m.added_in <= ${version} and (m.removed_in is null or m.removed_in > ${version})
        and (${after ?? null}::text is null or f.path > ${after ?? null})
      order by f.path limit ${pageSize}`.execute(db)
    if (rows.length === 0) return
    yield rows
    after = rows.at(-1)?.path
  }
}
