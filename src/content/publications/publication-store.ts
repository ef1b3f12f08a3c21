import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { WrittenFile } from '../content-type.ts'
import type { SetVersion } from '../sets/content-set-store.ts'
import type { ContentTables } from '../tables.ts'

type ContentDb = Db<ContentTables>

/** Adds a publication that nobody points at yet; one that nobody will point at goes after a day. */
export async function insertPublication(
  tx: ContentDb,
  { setId, version }: SetVersion,
  files: readonly WrittenFile[],
): Promise<number> {
  const { id } = await tx
    .insertInto('publications')
    .values({ set_id: setId, set_version: version, retired_at: sql`now()` })
    .returning('id')
    .executeTakeFirstOrThrow()
  await sql`
    insert into publication_files (publication_id, path, sha256, size_bytes)
    select ${id}, * from unnest(
      ${files.map(({ path }) => path)}::text[], ${files.map(({ sha256 }) => sha256)}::text[],
      ${files.map(({ sizeBytes }) => sizeBytes)}::bigint[])`.execute(tx)
  return id
}

/**
 * Moves what clients of a repository are served from one publication to another, for all of them at once. A copy that was
 * given other content meanwhile stays as it is.
 */
export async function pointAt(tx: ContentDb, repositoryId: number, publicationId: number): Promise<void> {
  const { rows } = await sql<{ former: number | null }>`
    with moved as (
      select r.id, r.publication_id as former from repositories r join publications p on p.id = ${publicationId}
      where r.id = ${repositoryId} and r.set_id = p.set_id and coalesce(r.set_version, p.set_version) = p.set_version
      for update of r
    )
    update repositories r set publication_id = ${publicationId}, last_contents_changed = now()
    from moved where r.id = moved.id returning moved.former`.execute(tx)
  const former = rows[0]?.former
  if (former === undefined || former === null) return
  await keepFormer(tx, [{ repositoryId, publicationId: former }])
  await retireUnused(tx, [former])
}

/** What a repository showed. */
export interface FormerPublication {
  readonly repositoryId: number
  readonly publicationId: number
}

/** Keeps what repositories showed until now resolvable for a day. */
export async function keepFormer(tx: ContentDb, former: readonly FormerPublication[]): Promise<void> {
  await sql`
    insert into former_publications (repository_id, publication_id)
    select * from unnest(
      ${former.map(({ repositoryId }) => repositoryId)}::bigint[], ${former.map(({ publicationId }) => publicationId)}::bigint[])
    on conflict (repository_id, publication_id) do update set retired_at = now()`.execute(tx)
}

/** Notes of publications that no repository points at any more since when that is so; they stay resolvable for a day. */
export async function retireUnused(tx: ContentDb, ids: readonly number[]): Promise<void> {
  await sql`
    update publications p set retired_at = now() where p.id = any(${ids as number[]}::bigint[])
      and not exists (select 1 from repositories r where r.publication_id = p.id)`.execute(tx)
}

/** Deletes at once those of these publications that no repository points at. */
export async function deleteUnused(tx: ContentDb, ids: readonly number[]): Promise<void> {
  await sql`
    delete from publications p where p.id = any(${ids as number[]}::bigint[])
      and not exists (select 1 from repositories r where r.publication_id = p.id)`.execute(tx)
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

/** The same for all sets: copies of content views move on without anything happening to the sets that they came from. */
export async function purgeRetired(db: ContentDb): Promise<void> {
  await sql`delete from former_publications where retired_at < now() - interval '1 day'`.execute(db)
  await sql`
    delete from publications p where p.retired_at < now() - interval '1 day'
      and not exists (select 1 from repositories r where r.publication_id = p.id)`.execute(db)
}
