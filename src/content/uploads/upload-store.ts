import { sql } from 'kysely'
import { type Db, isForeignKeyViolation } from '../../platform/db/database.ts'
import { notFound } from '../../platform/errors.ts'
import type { ContentTables } from '../tables.ts'

type ContentDb = Db<ContentTables>

export interface Upload {
  readonly id: string
  readonly size_bytes: number
  /** The bytes that have come; no byte is counted twice. */
  readonly received_bytes: number
}

export interface UploadKey {
  readonly id: string
  readonly repositoryId: number
}

/** @throws AppError `not_found` when the repository is gone */
export async function insertUpload(
  db: ContentDb,
  { id, repositoryId, sizeBytes }: UploadKey & { readonly sizeBytes: number },
): Promise<void> {
  try {
    await db.insertInto('content_uploads').values({ id, repository_id: repositoryId, size_bytes: sizeBytes }).execute()
  } catch (error) {
    throw isForeignKeyViolation(error) ? notFound('repository', repositoryId) : error
  }
}

/** Gives an upload of that repository. */
export async function findUpload(db: ContentDb, { id, repositoryId }: UploadKey): Promise<Upload | undefined> {
  const { rows } = await sql<Upload>`
    select id, size_bytes,
      (select coalesce(sum(c.size_bytes), 0)::bigint from content_upload_chunks c where c.upload_id = u.id) as received_bytes
    from content_uploads u where id = ${id} and repository_id = ${repositoryId}`.execute(db)
  return rows[0]
}

/** Makes uploads safe from housekeeping for a day. */
export async function touchUploads(db: ContentDb, ids: readonly string[]): Promise<void> {
  await sql`update content_uploads set touched_at = now() where id = any(${ids as string[]}::uuid[])`.execute(db)
}

export async function deleteUploads(db: ContentDb, repositoryId: number, ids: readonly string[]): Promise<void> {
  await sql`
    delete from content_uploads where repository_id = ${repositoryId} and id = any(${ids as string[]}::uuid[])`.execute(
    db,
  )
}

export async function noteImported(db: ContentDb, ids: readonly string[]): Promise<void> {
  await sql`update content_uploads set imported_at = now() where id = any(${ids as string[]}::uuid[])`.execute(db)
}

/** Bytes of an artifact that are a part of an upload. */
export interface UploadChunk {
  readonly start_byte: number
  readonly size_bytes: number
  readonly artifact_start: number
  readonly artifact: string
}

/**
 * Adds bytes to an upload; they replace whatever was there at the same place. To be called in a transaction.
 *
 * @returns false when the upload is gone
 */
export async function insertChunk(
  tx: ContentDb,
  id: string,
  chunk: Omit<UploadChunk, 'artifact_start'>,
): Promise<boolean> {
  const { start_byte: start, size_bytes: size, artifact } = chunk
  const { rows } = await sql`
    update content_uploads set touched_at = now() where id = ${id} returning id`.execute(tx)
  if (rows.length === 0) return false
  const end = start + size
  // what reaches beyond the end of the new bytes is kept as a chunk of its own
  await sql`
    insert into content_upload_chunks (upload_id, start_byte, size_bytes, artifact_start, artifact)
    select upload_id, ${end}::bigint, start_byte + size_bytes - ${end}, artifact_start + ${end} - start_byte, artifact
    from content_upload_chunks
    where upload_id = ${id} and start_byte < ${end} and start_byte + size_bytes > ${end}`.execute(tx)
  await sql`
    delete from content_upload_chunks
    where upload_id = ${id} and start_byte >= ${start} and start_byte < ${end}`.execute(tx)
  await sql`
    update content_upload_chunks set size_bytes = ${start} - start_byte
    where upload_id = ${id} and start_byte < ${start} and start_byte + size_bytes > ${start}`.execute(tx)
  await tx
    .insertInto('content_upload_chunks')
    .values({ upload_id: id, start_byte: start, size_bytes: size, artifact })
    .execute()
  return true
}

/** What has come of an upload, in order. */
export async function listChunks(db: ContentDb, id: string): Promise<UploadChunk[]> {
  return db
    .selectFrom('content_upload_chunks')
    .select(['start_byte', 'size_bytes', 'artifact_start', 'artifact'])
    .where('upload_id', '=', id)
    .orderBy('start_byte')
    .execute()
}

/** Deletes uploads that were imported an hour ago or forgotten for a day, unless an import waits for its turn. */
export async function deleteForgottenUploads(db: ContentDb, importKind: string): Promise<number> {
  const result = await sql`
    delete from content_uploads u
    where (u.imported_at < now() - interval '1 hour' or u.touched_at < now() - interval '1 day')
      and not exists (
        select 1 from tasks t where t.kind = ${importKind} and t.state <> 'stopped'
          and t.input -> 'repository' ->> 'id' = u.repository_id::text)`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}
