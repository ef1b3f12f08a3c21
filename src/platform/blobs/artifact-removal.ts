import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from '../db/database.ts'
import { lockBuckets, unlessPinned } from './artifact-locks.ts'
import { readUnreferenced } from './artifact-references.ts'
import type { BlobStore } from './blob-store.ts'
import { forEachBounded } from './bounded.ts'

export interface Removal {
  readonly olderThanMs?: number
  /**
   * What was touched before this moment of the database's clock may go instead of what is so old: for callers who know that
   * nobody still relies on an earlier touch.
   */
  readonly touchedBefore?: Date | undefined
  /** Milliseconds since 1970; the present when absent. */
  readonly now?: number
  readonly signal?: AbortSignal | undefined
}

export interface Removed {
  readonly count: number
  readonly bytes: number
}

interface Stores {
  readonly database: Database
  readonly store: BlobStore
}

/** One connection for a whole removal: its session holds the lock that stops others. */
interface Connected {
  readonly connection: Kysely<unknown>
  readonly store: BlobStore
  readonly cutoff: Date
}

interface ArtifactRow {
  readonly sha256: string
  readonly size_bytes: number
}

type Digest = Pick<ArtifactRow, 'sha256'>

const hourMs = 60 * 60_000
const removedAtOnce = 1000
const parallelDeletes = 16

/** See `Artifacts.removeUnreferenced`. */
export async function removeUnreferenced(stores: Stores, options: Removal): Promise<Removed> {
  return connected(stores, options, async (parts) => {
    const unreferenced = await readUnreferenced(parts.connection)
    const pages = unreferencedPages(parts, unreferenced)
    return removeEach(pages, options.signal, (digests) =>
      unlessPinned(parts.connection, async () => {
        const gone = await removeRows(parts, digests, unreferenced)
        await removeBytes(
          parts,
          gone.map(({ sha256 }) => sha256),
        )
        return gone.map(({ size_bytes }) => size_bytes)
      }),
    )
  })
}

/** See `Artifacts.sweep`. */
export async function removeForgottenBytes(stores: Stores, options: Removal): Promise<Removed> {
  return connected(stores, options, async (parts) =>
    removeEach(forgottenPages(parts), options.signal, (digests) =>
      unlessPinned(parts.connection, () => removeBytes(parts, digests)),
    ),
  )
}

function connected<T>(
  { database, store }: Stores,
  { olderThanMs = hourMs, now = Date.now(), touchedBefore }: Removal,
  work: (parts: Connected) => Promise<T>,
): Promise<T> {
  const cutoff = touchedBefore ?? new Date(now - olderThanMs)
  const connections = database.tables<unknown>().connection()
  return connections.execute((connection) => work({ connection, store, cutoff }))
}

/** Adds up what `remove` gives as sizes, until it gives `undefined` because somebody needs the bytes. */
async function removeEach(
  pages: AsyncIterable<readonly string[]>,
  signal: AbortSignal | undefined,
  remove: (digests: readonly string[]) => Promise<number[] | undefined>,
): Promise<Removed> {
  let count = 0
  let bytes = 0
  for await (const digests of pages) {
    signal?.throwIfAborted()
    const sizes = await remove(digests)
    if (sizes === undefined) break
    count += sizes.length
    bytes += sizes.reduce((sum, size) => sum + size, 0)
  }
  return { count, bytes }
}

async function* unreferencedPages(
  { connection, cutoff }: Connected,
  unreferenced: RawBuilder<unknown>,
): AsyncGenerator<string[], void, undefined> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { rows }: { rows: Digest[] } = await sql<Digest>`
      select sha256 from artifacts a
      where a.sha256 > ${after} and a.touched_at < ${cutoff} and ${unreferenced}
      order by a.sha256 limit ${removedAtOnce}`.execute(connection)
    after = rows.at(-1)?.sha256
    if (rows.length > 0) yield rows.map(({ sha256 }) => sha256)
  }
}

async function* forgottenPages(parts: Connected): AsyncGenerator<string[], void, undefined> {
  for await (const digests of oldPages(parts)) {
    const rows = await findRows(parts.connection, digests)
    const forgotten = digests.filter((sha256) => !rows.has(sha256))
    if (forgotten.length > 0) yield forgotten
  }
}

async function* oldPages({ store, cutoff }: Connected): AsyncGenerator<string[], void, undefined> {
  let page: string[] = []
  for await (const { sha256, modifiedAt } of store.list()) {
    if (modifiedAt < cutoff) page.push(sha256)
    if (page.length < removedAtOnce) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/**
 * Two statements, because the second must see what was committed until the rows were locked: from then on nobody can
 * add a reference, so it sees them all. Rows that somebody else has locked are in use.
 */
async function removeRows(
  { connection, cutoff }: Connected,
  digests: readonly string[],
  unreferenced: RawBuilder<unknown>,
): Promise<ArtifactRow[]> {
  return inTransaction(connection, async (tx) => {
    const locked = await sql<Digest>`
      select sha256 from artifacts where sha256 = any(${digests}::text[]) and touched_at < ${cutoff}
      order by sha256 for update skip locked`.execute(tx)
    const removable = locked.rows.map(({ sha256 }) => sha256)
    const { rows } = await sql<ArtifactRow>`
      delete from artifacts a where a.sha256 = any(${removable}::text[]) and ${unreferenced}
      returning a.sha256, a.size_bytes`.execute(tx)
    return rows
  })
}

/** Removes the bytes that have no row and are older than the cutoff. Gives their sizes. */
async function removeBytes({ connection, store, cutoff }: Connected, digests: readonly string[]): Promise<number[]> {
  return inTransaction(connection, async (tx) => {
    const sizes: number[] = []
    await lockBuckets(tx, digests, 'exclusive')
    const rows = await findRows(tx, digests)
    const absent = digests.filter((sha256) => !rows.has(sha256))
    await forEachBounded(absent, parallelDeletes, async (sha256) => {
      const known = await store.stat(sha256)
      if (known === undefined || known.modifiedAt >= cutoff) return
      if (await store.delete(sha256)) sizes.push(known.sizeBytes)
    })
    return sizes
  })
}

async function findRows(db: Kysely<unknown>, digests: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<Digest>`select sha256 from artifacts where sha256 = any(${digests}::text[])`.execute(db)
  return new Set(rows.map(({ sha256 }) => sha256))
}

/** Each statement sees what was committed before it began, whatever the server's default is. */
function inTransaction<T>(connection: Kysely<unknown>, work: (tx: Transaction<unknown>) => Promise<T>): Promise<T> {
  return connection.transaction().setIsolationLevel('read committed').execute(work)
}
