import { type Kysely, sql } from 'kysely'
import type { StoredUnit } from '../../../content-type.ts'
import type { RepomdRecord } from '../publish/repomd.ts'
import type { MetadataFileUnit } from './metadata-file.ts'

type Db = Kysely<unknown>

/** Adds the rows of metadata files that are new to the database. */
export async function saveMetadataFiles(db: Db, files: readonly StoredUnit<MetadataFileUnit>[]): Promise<void> {
  const column = <T>(value: (unit: MetadataFileUnit) => T) => files.map(({ unit }) => value(unit))
  await sql`
    insert into yum_metadata_files (unit_id, type, filename, open_sha256, open_size_bytes)
    select * from unnest(
      ${files.map(({ id }) => id)}::bigint[], ${column(({ type }) => type)}::text[],
      ${column(({ filename }) => filename)}::text[], ${column(({ open }) => open?.sha256 ?? null)}::text[],
      ${column(({ open }) => open?.sizeBytes ?? null)}::bigint[])
    on conflict (unit_id) do nothing`.execute(db)
}

interface StoredRecord extends Omit<RepomdRecord, 'open'> {
  readonly openSha256: string | null
  readonly openBytes: number | null
}

/** The records of the metadata files that a set version holds; of several of one type the one that came last. */
export async function listMetadataFiles(
  db: Db,
  { setId, version }: { readonly setId: number; readonly version: number },
): Promise<RepomdRecord[]> {
  const { rows } = await sql<StoredRecord>`
    select distinct on (y.type) y.type, f.path as href, f.sha256, f.size_bytes as "sizeBytes",
      y.open_sha256 as "openSha256", y.open_size_bytes as "openBytes"
    from content_set_units m
    join yum_metadata_files y on y.unit_id = m.unit_id
    join unit_files f on f.unit_id = m.unit_id
    where m.set_id = ${setId} and m.added_in <= ${version} and (m.removed_in is null or m.removed_in > ${version})
    order by y.type, m.added_in desc, m.unit_id desc`.execute(db)
  return rows.map(({ openSha256, openBytes, ...record }) =>
    openSha256 === null || openBytes === null
      ? record
      : { ...record, open: { sha256: openSha256, sizeBytes: openBytes } },
  )
}
