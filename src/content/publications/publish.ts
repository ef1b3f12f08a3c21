import type { Kysely, Transaction } from 'kysely'
import type { Artifacts } from '../../platform/blobs/artifacts.ts'
import type { StagedBlob } from '../../platform/blobs/blob-store.ts'
import type { ContentWork } from '../content-type.ts'
import type { SetVersion } from '../sets/content-set-store.ts'
import type { ContentTables } from '../tables.ts'
import { insertPublication, type PublishedMetadata, pointAt } from './publication-store.ts'

export interface MetadataRequest {
  readonly db: Kysely<ContentTables>
  readonly artifacts: Artifacts
  readonly work: ContentWork
  readonly content: SetVersion
  readonly signal: AbortSignal
}

export interface PublishRequest extends MetadataRequest {
  readonly repositoryId: number
  /** Opens the transaction that moves the pointer; a task passes its own guarded one. */
  readonly commit: (write: (tx: Transaction<ContentTables>) => Promise<void>) => Promise<void>
}

/**
 * Writes all metadata of a set version, then shows it to clients in one step. Killed before that step, clients see
 * what they saw before, and the bytes written so far are removed as unreferenced.
 */
export async function publish({ repositoryId, commit, ...request }: PublishRequest): Promise<void> {
  const files = await writeMetadata(request)
  await commit(async (tx) => pointAt(tx, repositoryId, await insertPublication(tx, request.content, files)))
}

/** Stores all metadata of a set version; it is kept when a publication references it soon. */
export async function writeMetadata({
  db,
  artifacts,
  work,
  content: { setId, version },
  signal,
}: MetadataRequest): Promise<PublishedMetadata[]> {
  const staged = new Map<string, StagedBlob>()
  try {
    const context = { db: db as unknown as Kysely<unknown>, setId, version, signal }
    for await (const { path, content: bytes } of work.publish(context)) {
      staged.set(path, await artifacts.store.stage(bytes, { signal, subject: path }))
    }
    await artifacts.keep([...staged.values()])
  } finally {
    await Promise.all([...staged.values()].map((blob) => blob.discard()))
  }
  return [...staged].map(([path, { sha256, sizeBytes }]) => ({ path, sha256, sizeBytes }))
}
