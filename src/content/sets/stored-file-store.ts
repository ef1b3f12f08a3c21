import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ContentTables } from '../tables.ts'

/** Bytes that a repository serves, with one of the paths at which it does. */
export interface StoredFile {
  readonly sha256: string
  readonly path: string
  readonly isMetadata: boolean
}

const pageSize = 1000

/** The stored files of all versions of a repository that are kept, and of what is published; each once. */
export async function* listStoredFiles(
  db: Db<ContentTables>,
  { id, set_id: setId }: { readonly id: number; readonly set_id: number },
): AsyncGenerator<StoredFile[]> {
  let after = ''
  while (true) {
    const { rows } = await sql<StoredFile>`
      select sha256, min(path) as path, bool_and(is_metadata) as "isMetadata" from (
        select f.artifact as sha256, f.path, false as is_metadata
        from content_set_units m join unit_files f on f.unit_id = m.unit_id
        where m.set_id = ${setId} and f.artifact > ${after}
        union all
        select f.sha256, f.path, true
        from repositories r join publication_files f on f.publication_id = r.publication_id
        where r.id = ${id} and f.sha256 > ${after}
      ) as files
      group by sha256 order by sha256 limit ${pageSize}`.execute(db)
    if (rows.length === 0) return
    yield rows
    after = rows.at(-1)?.sha256 as string
  }
}
