import type { Kysely, Transaction } from 'kysely'
import type { Artifacts } from '../../platform/blobs/artifacts.ts'
import type { BlobStore, StagedBlob } from '../../platform/blobs/blob-store.ts'
import type {
  ContentWork,
  PublicationSigner,
  PublishContext,
  RepositoryAttributes,
  WrittenFile,
} from '../content-type.ts'
import { findVersionTime, type SetVersion } from '../sets/content-set-store.ts'
import type { ContentTables } from '../tables.ts'
import { insertPublication, pointAt } from './publication-store.ts'

export interface MetadataRequest {
  readonly db: Kysely<ContentTables>
  readonly artifacts: Artifacts
  readonly work: ContentWork
  readonly content: SetVersion
  readonly attributes: RepositoryAttributes
  readonly signer: PublicationSigner
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
  attributes,
  signer,
  signal,
}: MetadataRequest): Promise<WrittenFile[]> {
  const staged: StagedFile[] = []
  try {
    const createdAt = await findVersionTime(db, { setId, version })
    const context = { db: db as unknown as Kysely<unknown>, setId, version, createdAt, attributes, signer, signal }
    await stageAll({ context, work, store: artifacts.store }, staged)
    await artifacts.keep(staged.map(({ blob }) => blob))
  } finally {
    await Promise.all(staged.map(({ blob }) => blob.discard()))
  }
  return staged.map(written)
}

interface StagedFile {
  readonly path: string
  readonly blob: StagedBlob
}

interface Writing {
  readonly context: PublishContext
  readonly work: ContentWork
  readonly store: BlobStore
}

async function stageAll({ context, work, store }: Writing, staged: StagedFile[]): Promise<void> {
  const files = work.publish(context)
  try {
    for (
      let next = await files.next();
      next.done !== true;
      next = await files.next(written(staged.at(-1) as StagedFile))
    ) {
      const { path, content } = next.value
      const subject = typeof path === 'string' ? path : path('…')
      const blob = await store.stage(content, { signal: context.signal, subject })
      staged.push({ path: typeof path === 'string' ? path : path(blob.sha256), blob })
    }
  } finally {
    await files.return()
  }
}

function written({ path, blob: { sha256, sizeBytes } }: StagedFile): WrittenFile {
  return { path, sha256, sizeBytes }
}
