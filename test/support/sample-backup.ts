import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { backup } from '../../src/platform/backup/backup.ts'
import { TarReader } from '../../src/platform/backup/tar-reader.ts'
import { writeTar } from '../../src/platform/backup/tar-writer.ts'
import { Artifacts } from '../../src/platform/blobs/artifacts.ts'
import { openFileBlobStore } from '../../src/platform/blobs/file-blob-store.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { chunks } from '../conformance/blob-store-samples.ts'

export interface Entry {
  readonly name: string
  readonly content: Buffer
}

/** Backs up the database with these blobs and gives the entries of the backup. */
export async function makeSampleBackup(database: Database, contents: readonly string[]): Promise<readonly Entry[]> {
  const root = await mkdtemp(join(tmpdir(), 'sample-backup-'))
  const store = await openFileBlobStore(root)
  const staged = await Promise.all(contents.map((content) => store.stage(chunks(content))))
  await new Artifacts({ database, store }).keep(staged)
  const output = new PassThrough()
  const [entries] = await Promise.all([readEntries(output), backup({ database, blobs: store, output })])
  await rm(root, { recursive: true })
  return entries
}

async function readEntries(input: AsyncIterable<Uint8Array>): Promise<Entry[]> {
  await using reader = new TarReader(input)
  const entries: Entry[] = []
  for (let entry = await reader.peek(); entry !== undefined; entry = await reader.peek()) {
    const read: Uint8Array[] = []
    for await (const chunk of entry.content) read.push(chunk)
    entries.push({ name: entry.name, content: Buffer.concat(read) })
    await reader.take(entry.name)
  }
  return entries
}

export async function* tarOf(entries: readonly Entry[]): AsyncGenerator<Uint8Array, void, undefined> {
  const listed = async function* () {
    for (const { name, content } of entries) yield { name, sizeBytes: content.length, content: [content] }
  }
  yield* writeTar(listed(), new Date())
}

export async function bytesOf(entries: readonly Entry[]): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const chunk of tarOf(entries)) all.push(chunk)
  return Buffer.concat(all)
}

/** The entries with another text in the one of that name. */
export function withText(entries: readonly Entry[], name: string, change: (text: string) => string): Entry[] {
  assert.ok(entries.some((entry) => entry.name === name))
  return entries.map((entry) =>
    entry.name === name ? { name, content: Buffer.from(change(entry.content.toString())) } : entry,
  )
}

type ManifestFields = Readonly<Record<string, unknown>>

export function withManifest(entries: readonly Entry[], change: (manifest: ManifestFields) => object): Entry[] {
  return withText(entries, 'manifest.json', (text) => JSON.stringify(change(JSON.parse(text))))
}
