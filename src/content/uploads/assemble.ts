import type { Kysely } from 'kysely'
import type { Artifacts } from '../../platform/blobs/artifacts.ts'
import type { ExpectedBytes } from '../../platform/blobs/blob-store.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import type { UploadedFile } from '../content-type.ts'
import type { ContentTables } from '../tables.ts'
import type { UploadImport } from './import-task.ts'
import { listChunks, type UploadChunk } from './upload-store.ts'

export interface AssembleParts {
  readonly db: Kysely<ContentTables>
  readonly artifacts: Artifacts
  readonly signal: AbortSignal
}

/**
 * Makes one artifact of the chunks of an upload, in constant memory, and checks that its bytes are what their sender
 * said. The artifact is safe from removal for an hour.
 *
 * @throws AppError `invalid` that names the file, `not_found` when the upload is gone
 */
export async function assemble(
  { id, name, expected }: UploadImport,
  sizeBytes: number,
  { db, artifacts, signal }: AssembleParts,
): Promise<UploadedFile> {
  const chunks = await listChunks(db, id)
  // it was complete when it was queued: its repository was deleted just now
  if (chunks.length === 0 && sizeBytes > 0) throw notFound('upload', id)
  checkGapless(chunks, name, sizeBytes)
  const whole = await findWhole(chunks, expected, { artifacts, sizeBytes })
  if (whole !== undefined) return { name, sha256: whole, sizeBytes, open: () => artifacts.store.open(whole) }
  const staged = await artifacts.store.stage(bytesOf(chunks, artifacts), {
    expected: { ...expected, sizeBytes },
    subject: JSON.stringify(name),
    signal,
  })
  try {
    await artifacts.keep([staged])
  } finally {
    await staged.discard()
  }
  const { sha256 } = staged
  return { name, sha256, sizeBytes, open: () => artifacts.store.open(sha256) }
}

/** The artifact of the only chunk, when that is all there is and nothing else was said of the bytes: no need to copy it. */
async function findWhole(
  [chunk, ...others]: readonly UploadChunk[],
  { sha256, ...unchecked }: ExpectedBytes,
  { artifacts, sizeBytes }: { readonly artifacts: Artifacts; readonly sizeBytes: number },
): Promise<string | undefined> {
  if (chunk === undefined || others.length > 0 || Object.keys(unchecked).length > 0) return undefined
  const { artifact } = chunk
  if (sha256 !== undefined && sha256 !== artifact) return undefined
  if ((await artifacts.store.stat(artifact))?.sizeBytes !== sizeBytes) return undefined
  return (await artifacts.touch([artifact])).has(artifact) ? artifact : undefined
}

function checkGapless(chunks: readonly UploadChunk[], name: string, sizeBytes: number): void {
  let end = 0
  for (const { start_byte, size_bytes } of chunks) {
    if (start_byte !== end) break
    end += size_bytes
  }
  if (end === sizeBytes) return
  throw new AppError('invalid', `Cannot keep ${JSON.stringify(name)}: its bytes from ${end} on are missing`)
}

async function* bytesOf(chunks: readonly UploadChunk[], { store }: Artifacts): AsyncGenerator<Uint8Array> {
  for (const { artifact, artifact_start: start, size_bytes } of chunks) {
    await using opened = await store.open(artifact, { start, end: start + size_bytes - 1 })
    yield* opened.body
  }
}
