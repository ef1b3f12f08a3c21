import { sql } from 'kysely'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { Database } from '../db/database.ts'
import { inTime } from '../in-time.ts'

/** How one of the parts that the server stands on was found. */
export interface Checked {
  readonly works: boolean
  readonly durationMs: number
}

export interface AllChecked {
  readonly database: Checked
  readonly storage: Checked
}

/** Anyone may ask for checks, so those who ask at the same time get the same ones. */
export function sharedChecks(database: Database, store: BlobStore): () => Promise<AllChecked> {
  let running: Promise<AllChecked> | undefined
  return async () => {
    running ??= checkAll(database, store).finally(() => {
      running = undefined
    })
    return await running
  }
}

async function checkAll(database: Database, store: BlobStore): Promise<AllChecked> {
  const [databaseChecked, storage] = await Promise.all([
    check(() => sql`select 1`.execute(database.tables())),
    check(() => writeAndForget(store)),
  ])
  return { database: databaseChecked, storage }
}

/** Bytes can be kept only where they can be written. */
async function writeAndForget(store: BlobStore): Promise<void> {
  const bytes = async function* () {
    yield Buffer.from('ping')
  }
  await using _staged = await store.stage(bytes())
}

async function check(work: () => Promise<unknown>): Promise<Checked> {
  const start = performance.now()
  const works = await inTime(work(), 'No answer').then(
    () => true,
    () => false,
  )
  return { works, durationMs: Math.round(performance.now() - start) }
}
