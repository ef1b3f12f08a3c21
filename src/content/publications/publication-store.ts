import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { SetVersion } from '../sets/content-set-store.ts'
import type { ContentTables } from '../tables.ts'

type ContentDb = Db<ContentTables>

export interface PublishedMetadata {
  readonly path: string
  readonly sha256: string
  readonly sizeBytes: number
}

export async function insertPublication(
  tx: ContentDb,
  { setId, version }: SetVersion,
  files: readonly PublishedMetadata[],
): Promise<number> {
  const { id } = await tx
    .insertInto('publications')
    .values({ set_id: setId, set_version: version })
    .returning('id')
    .executeTakeFirstOrThrow()
  await sql`
    insert into publication_files (publication_id, path, sha256, size_bytes)
    select ${id}, * from unnest(
      ${files.map(({ path }) => path)}::text[], ${files.map(({ sha256 }) => sha256)}::text[],
      ${files.map(({ sizeBytes }) => sizeBytes)}::bigint[])`.execute(tx)
  return id
}

/** Moves what clients of a repository are served from one publication to another, for all of them at once. */
export async function pointAt(tx: ContentDb, repositoryId: number, publicationId: number): Promise<void> {
  await sql`
    update publications p set retired_at = now() from repositories r
    where r.id = ${repositoryId} and p.id = r.publication_id
      and not exists (select 1 from repositories other where other.publication_id = p.id and other.id <> r.id)`.execute(
    tx,
  )
  await tx
    .updateTable('repositories')
    .set({ publication_id: publicationId, last_contents_changed: sql`now()` })
    .where('id', '=', repositoryId)
    .execute()
}

/** The set version that clients of a repository are served now. */
export async function findPublishedVersion(db: ContentDb, repositoryId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('repositories as r')
    .innerJoin('publications as p', 'p.id', 'r.publication_id')
    .select('p.set_version')
    .where('r.id', '=', repositoryId)
    .executeTakeFirst()
  return row?.set_version
}

/** Deletes the publications of a set that were replaced more than a day ago: clients may still be reading younger ones. */
export async function purgePublications(db: ContentDb, setId: number): Promise<void> {
  await sql`
    delete from publications p where p.set_id = ${setId} and p.retired_at < now() - interval '1 day'
      and not exists (select 1 from repositories r where r.publication_id = p.id)`.execute(db)
}
