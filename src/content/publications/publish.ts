import type { Kysely, Transaction } from 'kysely'
import type { Artifacts } from '../../platform/blobs/artifacts.ts'
import type { StagedBlob } from '../../platform/blobs/blob-store.ts'
import type { ContentWork } from '../content-type.ts'
import type { SetVersion } from '../sets/content-set-store.ts'
import type { ContentTables } from '../tables.ts'
import { insertPublication, pointAt } from './publication-store.ts'

export interface PublishRequest {
  readonly db: Kysely<ContentTables>
  readonly artifacts: Artifacts
  readonly work: ContentWork
  readonly repositoryId: number
  readonly content: SetVersion
  readonly signal: AbortSignal
  /** Opens the transaction that moves the pointer; a task passes its own guarded one. */
  readonly commit: (write: (tx: Transaction<ContentTables>) => Promise<void>) => Promise<void>
}

/**
 * Writes all metadata of a set version, then shows it to clients in one step. Killed before that step, clients see
 * what they saw before, and the bytes written so far are removed as unreferenced.
 */
export async function publish({
  db,
  artifacts,
  work,
  repositoryId,
  content,
  signal,
  commit,
}: PublishRequest): Promise<void> {
  const staged = new Map<string, StagedBlob>()
  try {
    const context = { db: db as unknown as Kysely<unknown>, setId: content.setId, version: content.version, signal }
    for await (const { path, content: bytes } of work.publish(context)) {
      staged.set(path, await artifacts.store.stage(bytes, { signal, subject: path }))
    }
    await artifacts.keep([...staged.values()])
  } finally {
    await Promise.all([...staged.values()].map((blob) => blob.discard()))
  }
  const files = [...staged].map(([path, { sha256, sizeBytes }]) => ({ path, sha256, sizeBytes }))
  await commit(async (tx) => pointAt(tx, repositoryId, await insertPublication(tx, content, files)))
}
