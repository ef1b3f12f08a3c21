import { type Kysely, sql, type Transaction } from 'kysely'

/** Advisory locks of the artifacts: pairs of this arbitrary number, which must never change, and one below. */
const lockClass = 7_206_412

/** Digests share locks by their first digit; few enough that a batch does not fill the server's lock table. */
const bucketDigits = 1

/** Numbers below are buckets. Held shared: bytes must stay. Held exclusively: bytes are being removed. */
const bytesLock = 16

/** What runs one statement with parameters on a connection; a `pg` client does. */
export interface Session {
  query(text: string, values: unknown[]): Promise<unknown>
}

/**
 * Locks the buckets of the digests until the transaction ends: `shared` to add bytes and their rows, `exclusive` to
 * remove bytes. The buckets are locked in one order by everybody, so nobody waits in a circle.
 */
export async function lockBuckets(
  tx: Transaction<unknown>,
  digests: readonly string[],
  mode: 'shared' | 'exclusive',
): Promise<void> {
  const found = new Set(digests.map((sha256) => Number.parseInt(sha256.slice(0, bucketDigits), 16)))
  const buckets = [...found].sort((a, b) => a - b)
  const lock = sql.raw(mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock')
  await sql`select ${lock}(${lockClass}::int, bucket) from unnest(${buckets}::int[]) as bucket`.execute(tx)
}

/**
 * Keeps all processes from removing bytes for as long as this session lives, also the bytes of rows that go meanwhile.
 * Waits for a removal that runs, which is one batch. Take it before the snapshot of the rows whose bytes are needed.
 */
export async function pinBytes(session: Session): Promise<void> {
  await session.query('select pg_advisory_lock_shared($1::int, $2::int)', [lockClass, bytesLock])
}

/** Runs `work` while nobody has pinned the bytes and nobody else removes some; otherwise gives `undefined` at once. */
export async function unlessPinned<T>(connection: Kysely<unknown>, work: () => Promise<T>): Promise<T | undefined> {
  const keys = sql`${lockClass}::int, ${bytesLock}::int`
  const { rows } = await sql<{ locked: boolean }>`select pg_try_advisory_lock(${keys}) as locked`.execute(connection)
  if (rows[0]?.locked !== true) return undefined
  try {
    return await work()
  } finally {
    await sql`select pg_advisory_unlock(${keys})`.execute(connection)
  }
}
