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

export async function countBlobs(client: pg.Client): Promise<Manifest['blobs']> {
  const { rows } = await client.query<Manifest['blobs']>(
    'select count(*) as count, coalesce(sum(size_bytes), 0)::bigint as bytes from artifacts',
  )
  return rows[0] ?? { count: 0, bytes: 0 }
}

/** The bytes of every artifact that the open snapshot has, ordered by name. */
export async function* backedUpBlobs(client: pg.Client, store: BlobStore): AsyncGenerator<TarEntry, void, undefined> {
  for (let last = ''; ; ) {
    const { rows } = await client.query<Artifact>(
      'select sha256, size_bytes from artifacts where sha256 > $1 order by sha256 limit $2',
      [last, listedAtOnce],
    )
    for (const artifact of rows) yield blobEntry(store, artifact)
    const next = rows.at(-1)?.sha256
    if (next === undefined) return
    last = next
  }
}

function blobEntry(store: BlobStore, { sha256, size_bytes: sizeBytes }: Artifact): TarEntry {
  return { name: entryNames.blob(sha256), sizeBytes, content: checkedContent(store, sha256, sizeBytes) }
}

async function* checkedContent(store: BlobStore, sha256: string, sizeBytes: number): AsyncGenerator<Uint8Array> {
  const stored = await store.stat(sha256)
  if (stored?.sizeBytes !== sizeBytes) {
    const state = stored === undefined ? 'it is missing' : `it has ${stored.sizeBytes} bytes instead of ${sizeBytes}`
    throw new AppError('internal', `Cannot back up blob "${sha256}": ${state}`)
  }
  await using opened = await store.open(sha256)
  const hasher = new Hasher()
  for await (const chunk of opened.body as AsyncIterable<Uint8Array>) {
    hasher.update(chunk)
    yield chunk
  }
  const found = hasher.finish().sha256
  if (found === sha256) return
  throw new AppError('internal', `Cannot back up blob "${sha256}": it is damaged, its sha256 is ${found}`)
}
