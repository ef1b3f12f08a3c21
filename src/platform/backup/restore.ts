import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { abortable } from '../blobs/abortable.ts'
import { pinBytes } from '../blobs/artifact-locks.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { Database } from '../db/database.ts'
import { lockMigrations, type MigrationSet } from '../db/migration.ts'
import { AppError } from '../errors.ts'
import { prepareSession, quoted, readSequences, readTables, type Table } from './catalogue.ts'
import { loosen, tighten } from './loading.ts'
import {
  type BackedUpTable,
  entryNames,
  type Manifest,
  parseManifest,
  parseSequences,
  type Sequences,
} from './manifest.ts'
import { applyMigrations } from './migrations.ts'
import { RestoredBlobs } from './restored-blobs.ts'
import { readText, TarReader } from './tar-reader.ts'

export interface RestoreOptions {
  /** A new database, or one whose tables are empty. No server may use it meanwhile. */
  readonly database: Database
  readonly blobs: BlobStore
  /** Every migration that this program has, in the order in which they are applied. */
  readonly migrations: readonly MigrationSet[]
  readonly input: AsyncIterable<Uint8Array>
  readonly signal?: AbortSignal | undefined
}

const textBytes = 16 * 1024 * 1024

/**
 * Brings back what `backup` wrote, whole or not at all: blobs are staged and checked first and everything in the
 * database is one transaction, which is committed when the last byte of the backup is known to be right. What a
 * process that is killed in the very last step leaves are bytes without a row, which a sweep removes.
 *
 * Afterwards the database has the migrations of the backup: run `migrate` for newer ones. Secrets in it need the key
 * that sealed them, which is not part of a backup.
 *
 * @throws AppError `conflict` when the database is not empty or the migrations do not fit, `invalid` when the backup
 * is damaged, truncated or made up; nothing has changed then
 */
export async function restore({ database, blobs, migrations, input, signal }: RestoreOptions): Promise<Manifest> {
  await using reader = new TarReader(abortable(input, signal))
  const manifest = parseManifest(await readText(await reader.take(entryNames.manifest), textBytes))
  const client = await database.connect()
  try {
    await prepareSession(client)
    // A server that starts meanwhile must find the whole backup, or nothing.
    await lockMigrations(client)
    // Bytes that are committed to the store before their rows are must not be taken for forgotten ones.
    await pinBytes(client)
    await client.query('begin')
    await prepareTables(client, manifest, migrations)
    await loadTables(client, manifest, reader)
    await restoreBlobs({ client, blobs, manifest, reader, signal })
    await client.query('commit')
    return manifest
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    await client.end() // this also rolls back
  }
}

async function prepareTables(client: pg.Client, manifest: Manifest, sets: readonly MigrationSet[]): Promise<void> {
  for (const { name } of await readTables(client)) {
    const { rowCount } = await client.query(`select 1 from ${quoted(name)} limit 1`)
    if (rowCount === 0) continue
    throw new AppError('conflict', `Cannot restore: table "${name}" is not empty; use a new database`)
  }
  await applyMigrations(client, manifest.migrations, sets)
  const tables = await readTables(client)
  refuseOtherTables(manifest.tables, tables)
  // Migrations may have put rows in, which the backup has too.
  if (tables.length > 0) await client.query(`truncate ${tables.map(({ name }) => quoted(name)).join(', ')}`)
}

function refuseOtherTables(backedUp: readonly Table[], present: readonly Table[]): void {
  const describe = (tables: readonly Table[]) =>
    tables.map(({ name, columns }) => `${name} (${columns.toSorted().join(', ')})`).sort()
  if (isDeepStrictEqual(describe(backedUp), describe(present))) return
  throw new AppError('invalid', 'Cannot restore: the tables of the backup are not those of its migrations')
}

async function loadTables(client: pg.Client, { tables }: Manifest, reader: TarReader): Promise<void> {
  const loosened = await loosen(client)
  for (const table of tables) {
    const rows = await asDamage(`table "${table.name}"`, () => loadTable(client, table, reader))
    if (rows === table.rows) continue
    throw new AppError('invalid', `Cannot restore: table "${table.name}" has ${rows} rows instead of ${table.rows}`)
  }
  await restartSequences(client, parseSequences(await readText(await reader.take(entryNames.sequences), textBytes)))
  await asDamage('the references between tables', () => tighten(client, loosened))
}

/** Within the transaction, which `setval` would not be. */
async function restartSequences(client: pg.Client, sequences: Sequences): Promise<void> {
  const namesOf = (list: Sequences) => list.map(({ name }) => name).sort()
  if (!isDeepStrictEqual(namesOf(sequences), namesOf(await readSequences(client)))) {
    throw new AppError('invalid', 'Cannot restore: the sequences of the backup are not those of its migrations')
  }
  for (const { name, next } of sequences) {
    const restart = `alter sequence ${quoted(name)} restart with ${next}`
    await asDamage(`sequence "${name}"`, () => client.query(restart))
  }
}

async function loadTable(client: pg.Client, { name, columns }: BackedUpTable, reader: TarReader): Promise<number> {
  const stream = client.query(copyFrom(`copy ${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin`))
  await pipeline(Readable.from(readParts(name, reader), { objectMode: false }), stream)
  return stream.rowCount
}

async function* readParts(table: string, reader: TarReader): AsyncGenerator<Uint8Array, void, undefined> {
  for (let part = 1; ; part += 1) {
    const name = entryNames.tablePart(table, part)
    if ((await reader.peek())?.name !== name) return
    yield* (await reader.take(name)).content
  }
}

interface RestoringBlobs {
  readonly client: pg.Client
  readonly blobs: BlobStore
  readonly manifest: Manifest
  readonly reader: TarReader
  readonly signal: AbortSignal | undefined
}

async function restoreBlobs({ client, blobs, manifest, reader, signal }: RestoringBlobs): Promise<void> {
  await using restored = new RestoredBlobs(blobs, client)
  for (;;) {
    const entry = await reader.peek()
    if (entry === undefined) break
    await restored.stage(entry, signal)
    await reader.take(entry.name)
  }
  await asDamage('the blobs', () => restored.commit(manifest.blobs))
}

/** What the database refuses while a backup is loaded is the backup's fault. */
async function asDamage<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error
    throw new AppError('invalid', `Cannot restore ${what}: ${error.message}`, { cause: error })
  }
}
