import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { belongsTo } from '../sets/membership.ts'
import type { ContentTables } from '../tables.ts'

export interface ServedFile {
  readonly sha256: string
  readonly sizeBytes: number
  /** The unit that it belongs to; null for metadata. */
  readonly unitId: number | null
  /** Whether its bytes are there, or to be fetched first. */
  readonly isStored: boolean
}

/** What a publication consists of. */
export interface PublicationContent {
  readonly publicationId: number
  readonly setId: number
  readonly version: number
}

type ContentDb = Db<ContentTables>

/** The file at a path of a publication; its own metadata comes before units, older units before younger ones. */
export async function findServedFile(
  db: ContentDb,
  { publicationId, setId, version }: PublicationContent,
  path: string,
): Promise<ServedFile | undefined> {
  // few units have a file of that path, and a set may have very many units: a join could be made from the wrong side
  const { rows } = await sql<ServedFile>`
    select sha256, size_bytes as "sizeBytes", null::bigint as "unitId", true as "isStored"
    from publication_files where publication_id = ${publicationId} and path = ${path}
    union all
    (select f.sha256, f.size_bytes, f.unit_id, f.artifact is not null from unit_files f
    where f.path = ${path} and (
      select true from content_set_units m
      where m.set_id = ${setId} and m.unit_id = f.unit_id
        and ${belongsTo(sql`${version}::integer`)} limit 1)
    order by f.unit_id limit 1)
    limit 1`.execute(db)
  return rows[0]
}

/** The metadata at a path that a repository had within a day, the latest: who has read its index gets what that names. */
export async function findFormerMetadata(
  db: ContentDb,
  repositoryId: number,
  path: string,
): Promise<ServedFile | undefined> {
  const { rows } = await sql<ServedFile>`
    select f.sha256, f.size_bytes as "sizeBytes", null::bigint as "unitId", true as "isStored"
    from former_publications former join publication_files f on f.publication_id = former.publication_id
    where former.repository_id = ${repositoryId} and f.path = ${path} and former.retired_at > now() - interval '1 day'
    order by former.retired_at desc limit 1`.execute(db)
  return rows[0]
}

export interface ListedEntry {
  readonly name: string
  readonly isFolder: boolean
  readonly sizeBytes: number | null
}

/** The files and folders right below a folder (`''` or ending in a slash) of a publication, folders first. */
export async function listFolder(
  db: ContentDb,
  { publicationId, setId, version }: PublicationContent,
  folder: string,
): Promise<ListedEntry[]> {
  const { rows } = await sql<ListedEntry>`
    select name, bool_or(is_folder) as "isFolder", case when bool_or(is_folder) then null else max(size_bytes) end as "sizeBytes"
    from (
      select split_part(rest, '/', 1) as name, position('/' in rest) > 0 as is_folder, size_bytes
      from (
        select substr(path, length(${folder}) + 1) as rest, size_bytes
        from publication_files where publication_id = ${publicationId} and starts_with(path, ${folder})
        union all
        select substr(f.path, length(${folder}) + 1), f.size_bytes
        from content_set_units m join unit_files f on f.unit_id = m.unit_id
        where m.set_id = ${setId} and ${belongsTo(sql`${version}::integer`)} and starts_with(f.path, ${folder})
      ) as files
    ) as entries
    group by name order by 2 desc, name`.execute(db)
  return rows
}
