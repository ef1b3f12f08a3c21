import type pg from 'pg'
import type { BlobStore } from '../blobs/blob-store.ts'
import { Hasher } from '../blobs/digests.ts'
import { AppError } from '../errors.ts'
import { entryNames, type Manifest } from './manifest.ts'
import type { TarEntry } from './tar-writer.ts'

interface Artifact {
  readonly sha256: string
  readonly size_bytes: number
}

const listedAtOnce = 1000
/** Blobs of up to this size are read before it is their turn, so many at a time. */
const smallBytes = 256 * 1024
const readAhead = 16

export async function countBlobs(client: pg.Client): Promise<Manifest['blobs']> {
  const { rows } = await client.query<Manifest['blobs']>(
    'select count(*) as count, coalesce(sum(size_bytes), 0)::bigint as bytes from artifacts',
  )
  return rows[0] ?? { count: 0, bytes: 0 }
}

/** The bytes of every artifact that the open snapshot has, ordered by name. */
export async function* backedUpBlobs(client: pg.Client, store: BlobStore): AsyncGenerator<TarEntry, void, undefined> {
  for (let last: string | undefined = ''; last !== undefined; ) {
    const { rows }: { rows: Artifact[] } = await client.query<Artifact>(
      'select sha256, size_bytes from artifacts where sha256 > $1 order by sha256 limit $2',
      [last, listedAtOnce],
    )
    yield* entriesOf(store, rows)
    last = rows.at(-1)?.sha256
  }
}

async function* entriesOf(store: BlobStore, artifacts: readonly Artifact[]): AsyncGenerator<TarEntry, void, undefined> {
  const ahead = new Map<Artifact, Promise<Uint8Array[]>>()
  for (const [index, artifact] of artifacts.entries()) {
    for (const next of artifacts.slice(index, index + readAhead)) {
      if (next.size_bytes <= smallBytes && !ahead.has(next)) ahead.set(next, readSmall(store, next))
    }
    const content = (await ahead.get(artifact)) ?? checkedContent(store, artifact)
    ahead.delete(artifact)
    yield { name: entryNames.blob(artifact.sha256), sizeBytes: artifact.size_bytes, content }
  }
}

function readSmall(store: BlobStore, artifact: Artifact): Promise<Uint8Array[]> {
  const reading = readAll(checkedContent(store, artifact))
  reading.catch(() => {}) // thrown when it is its turn, or not at all when another failure comes first
  return reading
}

async function readAll(content: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return chunks
}

async function* checkedContent(
  store: BlobStore,
  { sha256, size_bytes: sizeBytes }: Artifact,
): AsyncGenerator<Uint8Array, void, undefined> {
  await using opened = await store.open(sha256).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
    throw damaged(sha256, 'it is missing')
  })
  if (opened.sizeBytes !== sizeBytes) throw damaged(sha256, `it has ${opened.sizeBytes} bytes instead of ${sizeBytes}`)
  const hasher = new Hasher()
  for await (const chunk of opened.body as AsyncIterable<Uint8Array>) {
    hasher.update(chunk)
    yield chunk
  }
  const found = hasher.finish().sha256
  if (found !== sha256) throw damaged(sha256, `it is damaged, its sha256 is ${found}`)
}

function damaged(sha256: string, state: string): AppError {
  return new AppError('internal', `Cannot back up blob "${sha256}": ${state}`)
}
