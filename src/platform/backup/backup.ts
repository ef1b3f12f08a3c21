import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { pinBytes } from '../blobs/artifact-locks.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { Database } from '../db/database.ts'
import { readAppliedMigrations } from '../db/migration.ts'
import { backedUpBlobs, countBlobs } from './backed-up-blobs.ts'
import { prepareSession, quoted, readSequences, readTables, type Table } from './catalogue.ts'
import { type BackedUpTable, createManifest, entryNames, type Manifest } from './manifest.ts'
import { type TarEntry, writeTar } from './tar-writer.ts'

export interface BackupOptions {
  readonly database: Database
  readonly blobs: BlobStore
  /** Gets the backup and is ended. */
  readonly output: Writable
  readonly signal?: AbortSignal | undefined
  /** Told after each blob. */
  readonly onProgress?: ((progress: BackupProgress) => void) | undefined
}

export interface BackupProgress {
  readonly blobs: number
  readonly bytes: number
  readonly totalBlobs: number
  readonly totalBytes: number
}

/** The size that a part of a table has at least, except the last one; it is held in memory. */
const partBytes = 4 * 1024 * 1024

/**
 * Writes everything that the database and the blob store hold to one tar file (see `manifest.ts`), as it was at one
 * moment, while the server goes on working: all tables are read in one snapshot, and no bytes are removed meanwhile.
 * The digest of every blob is checked on the way.
 *
 * The key that seals secrets is NOT in the backup, so that a stolen one tells no passwords: whoever restores it needs
 * the same `BACKHAUL_SECRET_KEY` (or `<data>/secret-key`), which must be kept apart.
 *
 * @throws AppError `internal` when stored bytes are missing or damaged; what was written then is no backup
 */
export async function backup({ database, blobs, output, signal, onProgress }: BackupOptions): Promise<Manifest> {
  signal?.throwIfAborted()
  const client = await database.connect()
  try {
    await prepareSession(client)
    // Before the snapshot: the bytes of every row in it must still be there.
    await pinBytes(client)
    await client.query('begin isolation level repeatable read read only')
    const manifest = await describeSnapshot(client)
    const entries = listEntries({ client, blobs, manifest, onProgress })
    const tar = Readable.from(writeTar(entries, new Date(manifest.createdAt)), { objectMode: false })
    await pipeline(tar, output, { signal })
    return manifest
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    await client.end()
  }
}

async function describeSnapshot(client: pg.Client): Promise<Manifest> {
  const tables = await readTables(client)
  const names = tables.map(({ name }) => quoted(name))
  // A table that is emptied or changed now would look empty in a snapshot that is older.
  if (names.length > 0) await client.query(`lock table ${names.join(', ')} in access share mode`)
  return createManifest({
    createdAt: new Date().toISOString(),
    migrations: await readAppliedMigrations(client),
    tables: await countRows(client, tables),
    blobs: await countBlobs(client),
  })
}

async function countRows(client: pg.Client, tables: readonly Table[]): Promise<BackedUpTable[]> {
  const counted: BackedUpTable[] = []
  for (const { name, columns } of tables) {
    const { rows } = await client.query<{ rows: number }>(`select count(*) as rows from ${quoted(name)}`)
    counted.push({ name, columns: [...columns], rows: rows[0]?.rows ?? 0 })
  }
  return counted
}

interface Parts {
  readonly client: pg.Client
  readonly blobs: BlobStore
  readonly manifest: Manifest
  readonly onProgress: BackupOptions['onProgress']
}

async function* listEntries({ client, blobs, manifest, onProgress }: Parts): AsyncGenerator<TarEntry, void, undefined> {
  yield textEntry(entryNames.manifest, manifest)
  for (const table of manifest.tables) yield* tableEntries(client, table)
  yield textEntry(entryNames.sequences, await readSequences(client))
  const { count: totalBlobs, bytes: totalBytes } = manifest.blobs
  let copied = 0
  let bytes = 0
  for await (const entry of backedUpBlobs(client, blobs)) {
    yield entry
    copied += 1
    bytes += entry.sizeBytes
    onProgress?.({ blobs: copied, bytes, totalBlobs, totalBytes })
  }
}

function textEntry(name: string, value: unknown): TarEntry {
  return bufferEntry(name, [Buffer.from(JSON.stringify(value, undefined, 2))])
}

function bufferEntry(name: string, content: readonly Uint8Array[]): TarEntry {
  return { name, content, sizeBytes: content.reduce((sum, { byteLength }) => sum + byteLength, 0) }
}

/** A tar file names an entry's size before its content, and the size of a table's text is known at its end only. */
async function* tableEntries(client: pg.Client, { name, columns }: BackedUpTable): AsyncGenerator<TarEntry> {
  const rows = client.query(copyTo(`copy ${quoted(name)} (${columns.map(quoted).join(', ')}) to stdout`))
  let part = 1
  let chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of rows as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    sizeBytes += chunk.byteLength
    if (sizeBytes < partBytes) continue
    yield bufferEntry(entryNames.tablePart(name, part), chunks)
    part += 1
    chunks = []
    sizeBytes = 0
  }
  if (sizeBytes > 0) yield bufferEntry(entryNames.tablePart(name, part), chunks)
}
