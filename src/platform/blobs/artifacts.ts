import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { lockBuckets } from './artifact-locks.ts'
import { type Removal, type Removed, removeForgottenBytes, removeUnreferenced } from './artifact-removal.ts'
import type { BlobStore, StagedBlob } from './blob-store.ts'
import { inBatches } from './bounded.ts'

const keptAtOnce = 1000
const touchedAtOnce = 10_000

export interface ArtifactsOptions {
  readonly database: Database
  readonly store: BlobStore
}

/**
 * The blobs that the program owns: each is a row in `artifacts` and bytes in the blob store. Rows of other tables that
 * need bytes reference the artifact; what nothing references is removed after an hour.
 *
 * The promise: where there is a row, there are its bytes. It holds for any number of processes that share database and
 * store, and when one of them is killed at any point, because
 *
 * 1. bytes are durable before the row that names them is committed, and the row is gone, durably, before its bytes
 *    are removed; what is killed in between leaves bytes without a row, which `sweep` removes;
 * 2. `keep` holds the digests' buckets locked (shared) from before it places the bytes until its rows are committed.
 *    Bytes are removed under the same locks (exclusive), and only after looking again that there is no row; so between
 *    that look and the removal nobody can add one. The locks belong to the transaction that adds the rows: who loses
 *    the locks with the connection loses the rows too;
 * 3. a process that loses its connection while it removes bytes may go on for a moment without the lock: therefore it
 *    leaves alone what was committed to the store within the hour, or after it was told to begin, and `keep` always
 *    commits anew, with the time of that moment;
 * 4. rows are removed under a row lock that keeps new references out, by a statement that sees every reference there
 *    is, and only when they were not touched for an hour. Who needs bytes touches or keeps them first, then has an
 *    hour to reference them. A caller who knows since when nobody has touched bytes that are still to be referenced
 *    need not wait for the hour.
 */
export class Artifacts {
  readonly store: BlobStore
  readonly #database: Database

  constructor({ database, store }: ArtifactsOptions) {
    this.#database = database
    this.store = store
  }

  /**
   * Commits the bytes and their rows, in batches that are each all or nothing for readers of the table. Bytes that are
   * artifacts already are touched.
   */
  async keep(staged: readonly StagedBlob[]): Promise<void> {
    for (const batch of inBatches(staged, keptAtOnce)) await this.#keepBatch(batch)
  }

  /** Gives those that are artifacts and makes them safe from removal for an hour, referenced or not. */
  async touch(digests: readonly string[]): Promise<Set<string>> {
    return new Set((await this.touchForSizes(digests)).keys())
  }

  /** The same, and says how long they are. */
  async touchForSizes(digests: readonly string[]): Promise<Map<string, number>> {
    const found = new Map<string, number>()
    for (const batch of inBatches(digests, touchedAtOnce)) {
      // Rows are locked in one order, because two syncs often touch the same ones.
      const { rows } = await sql<{ sha256: string; sizeBytes: string }>`
        with wanted as materialized (
          select sha256 from artifacts where sha256 = any(${batch}::text[]) order by sha256 for no key update
        )
        update artifacts set touched_at = clock_timestamp()
        from wanted where artifacts.sha256 = wanted.sha256
        returning artifacts.sha256, artifacts.size_bytes as "sizeBytes"`.execute(this.#database.tables())
      for (const { sha256, sizeBytes } of rows) found.set(sha256, Number(sizeBytes))
    }
    return found
  }

  /**
   * Removes the artifacts that nothing references and nobody touched for `olderThanMs` (an hour), or since
   * `touchedBefore`. References are all
   * foreign keys to the table, found in the catalogue. Stops early, without an error, while a backup needs the bytes
   * or another process removes some.
   */
  async removeUnreferenced(options: Removal = {}): Promise<Removed> {
    return removeUnreferenced({ database: this.#database, store: this.store }, options)
  }

  /** Removes bytes without a row that are older than `olderThanMs` (an hour): what killed processes left. */
  async sweep(options: Removal = {}): Promise<Removed> {
    return removeForgottenBytes({ database: this.#database, store: this.store }, options)
  }

  async #keepBatch(staged: readonly StagedBlob[]): Promise<void> {
    const sizes = new Map(staged.map(({ sha256, sizeBytes }) => [sha256, sizeBytes]))
    const transaction = this.#database.tables<unknown>().transaction().setIsolationLevel('read committed')
    await transaction.execute(async (tx) => {
      await lockBuckets(tx, [...sizes.keys()], 'shared')
      await this.store.commitAll(staged)
      await sql`
        insert into artifacts (sha256, size_bytes)
        select sha256, size_bytes
        from unnest(${[...sizes.keys()]}::text[], ${[...sizes.values()]}::bigint[]) as kept (sha256, size_bytes)
        order by sha256 collate "C"
        on conflict (sha256) do update set touched_at = excluded.touched_at`.execute(tx)
    })
  }
}
