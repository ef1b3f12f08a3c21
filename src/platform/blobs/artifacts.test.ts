import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { chunks, names } from '../../../test/conformance/blob-store-samples.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import type { Database } from '../db/database.ts'
import { pinBytes } from './artifact-locks.ts'
import { Artifacts } from './artifacts.ts'
import type { BlobStore, StagedBlob } from './blob-store.ts'
import { openFileBlobStore } from './file-blob-store.ts'
import { BlobPaths } from './paths.ts'

const hourMs = 60 * 60_000
const later = () => Date.now() + 2 * hourMs

describe('Artifacts', () => {
  let made: TestDatabase
  let database: Database
  let root: string
  let store: BlobStore
  let artifacts: Artifacts

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'artifacts-'))
    store = await openFileBlobStore(root)
    made = await createTestDatabase()
    database = made.database
    artifacts = new Artifacts({ database, store })
  })

  afterEach(async () => {
    await made[Symbol.asyncDispose]()
    await rm(root, { recursive: true })
  })

  const stage = (...contents: string[]): Promise<StagedBlob[]> =>
    Promise.all(contents.map((content) => store.stage(chunks(content))))

  const keep = async (...contents: string[]): Promise<string[]> => {
    const staged = await stage(...contents)
    await artifacts.keep(staged)
    return staged.map(({ sha256 }) => sha256)
  }

  const rows = async (): Promise<string[]> => {
    const result = await database.pool.query('select sha256 from artifacts order by sha256')
    return result.rows.map(({ sha256 }) => sha256)
  }

  const ageBytes = async (...digests: string[]) => {
    const past = new Date(Date.now() - 2 * hourMs)
    for (const sha256 of digests) await utimes(new BlobPaths(root).blob(sha256), past, past)
  }

  const reference = async (table: string, sha256: string | null) => {
    await database.pool.query(`
      create table if not exists ${table} (sha256 text collate "C" references artifacts, note text);
      insert into ${table} values (${sha256 === null ? 'null' : `'${sha256}'`})`)
  }

  describe('keep', () => {
    it('stores bytes and rows, also of equal blobs and of none', async () => {
      const [one = '', two = ''] = await keep('one', 'two', 'one')
      await artifacts.keep([])

      assert.deepEqual(await rows(), [one, two].sort())
      assert.deepEqual(await names(store), [one, two].sort())
      const { rows: sizes } = await database.pool.query('select distinct size_bytes from artifacts')
      assert.deepEqual(sizes, [{ size_bytes: 3 }])
    })

    it('leaves no row when the bytes cannot be committed', async () => {
      const staged = await stage('one', 'two')
      await staged[1]?.discard()

      await assert.rejects(artifacts.keep(staged))

      assert.deepEqual(await rows(), [])
    })

    it('keeps more blobs than fit into one batch, by several writers at once', async () => {
      const contents = Array.from({ length: 2500 }, (_, number) => `blob ${number}`)

      await Promise.all([keep(...contents), keep(...contents.toReversed()), keep(...contents.slice(1000))])

      assert.deepEqual(await rows(), contents.map(sha256Of).sort())
      assert.deepEqual(await names(store), await rows())
    })
  })

  describe('touch', () => {
    it('gives those that exist and makes them safe from removal', async () => {
      const [one = '', two = ''] = await keep('one', 'two')
      await database.pool.query(`update artifacts set touched_at = now() - interval '2 hours'`)

      const found = await artifacts.touch([one, sha256Of('unknown'), one])

      assert.deepEqual(found, new Set([one]))
      assert.deepEqual(await artifacts.removeUnreferenced(), { count: 1, bytes: 3 })
      assert.deepEqual(await artifacts.touch([one, two]), new Set([one]))
    })
  })

  describe('removeUnreferenced', () => {
    it('removes rows and bytes that nothing references, in several batches', async () => {
      const contents = Array.from({ length: 1200 }, (_, number) => `blob ${1000 + number}`)
      const [kept = ''] = await keep(...contents)
      await reference('wanted', kept)
      await reference('wanted', null)

      assert.deepEqual(await artifacts.removeUnreferenced({ now: later() }), { count: 1199, bytes: 1199 * 9 })

      assert.deepEqual(await rows(), [kept])
      assert.deepEqual(await names(store), [kept])
    })

    it('leaves alone what was touched within the hour', async () => {
      await keep('one')

      assert.deepEqual(await artifacts.removeUnreferenced(), { count: 0, bytes: 0 })
      assert.deepEqual(await artifacts.removeUnreferenced({ now: Date.now() + hourMs - 60_000 }), {
        count: 0,
        bytes: 0,
      })
    })

    it('removes at once what nobody touched since a moment that it is told', async () => {
      await keep('one')
      const [two = ''] = await keep('two')
      const { rows: found } = await database.pool.query('select clock_timestamp() as moment')
      await keep('three')
      await artifacts.touch([two])

      const removed = await artifacts.removeUnreferenced({ touchedBefore: found[0].moment })
      assert.deepEqual(removed, { count: 1, bytes: 3 })
    })

    it('finds every foreign key by itself, whatever its table and column are called', async () => {
      const [one = '', two = '', three = ''] = await keep('one', 'two', 'three')
      await reference('"Strange ""Table"', one)
      await database.pool.query(`create schema other; create table other.deep ("Odd Column" text references artifacts)`)
      await database.pool.query('insert into other.deep values ($1)', [two])

      await artifacts.removeUnreferenced({ now: later() })

      assert.deepEqual(await rows(), [one, two].sort())
      assert.equal(await store.stat(three), undefined)
    })

    it('refuses to work with a foreign key that deletes rows by itself', async () => {
      await database.pool.query('create table weak (sha256 text references artifacts on delete cascade)')

      await assert.rejects(artifacts.removeUnreferenced(), {
        code: 'internal',
        message: 'Cannot remove artifacts: foreign key "weak_sha256_fkey" would change public.weak',
      })
    })

    it('leaves alone an artifact that a transaction is about to reference', async () => {
      const [one = '', two = ''] = await keep('one', 'two')
      await database.pool.query('create table wanted (sha256 text references artifacts)')
      const client = await database.connect()
      await client.query('begin')
      await client.query('insert into wanted values ($1)', [one])

      assert.deepEqual(await artifacts.removeUnreferenced({ now: later() }), { count: 1, bytes: 3 })

      await client.query('commit')
      await client.end()
      assert.deepEqual(await rows(), [one])
      assert.equal(await store.stat(two), undefined)
    })

    it('removes nothing while the bytes are pinned, and goes on afterwards', async () => {
      const [one = ''] = await keep('one')
      const client = await database.connect()
      await pinBytes(client)

      assert.deepEqual(await artifacts.removeUnreferenced({ now: later() }), { count: 0, bytes: 0 })
      assert.deepEqual(await rows(), [one])

      await client.end()
      await untilUnpinned(database)
      assert.deepEqual(await artifacts.removeUnreferenced({ now: later() }), { count: 1, bytes: 3 })
    })

    it('lets a backup that begins wait for the batch that runs', async () => {
      const [one = ''] = await keep('one')
      const slow = heldStore(store)
      const removal = new Artifacts({ database, store: slow }).removeUnreferenced({ now: later() })
      await slow.deleting
      const client = await database.connect()
      let isPinned = false
      const pinned = pinBytes(client).then(() => {
        isPinned = true
      })
      await untilSomebodyWaits(database)

      assert.equal(isPinned, false)
      slow.release()
      await Promise.all([removal, pinned])

      assert.equal(await store.stat(one), undefined)
      await client.end()
    })

    it('keeps bytes that come back between the removal of the row and that of the bytes', async () => {
      const [one = ''] = await keep('one')
      const slow = heldStore(store)
      const removal = new Artifacts({ database, store: slow }).removeUnreferenced({ now: later() })
      await slow.deleting
      const keeping = artifacts.keep(await stage('one'))
      await untilSomebodyWaits(database)

      slow.release()
      await Promise.all([removal, keeping])

      assert.deepEqual(await rows(), [one])
      assert.deepEqual(await names(store), [one])
    })

    it('stops between batches when the signal aborts', async () => {
      await keep('one')

      await assert.rejects(artifacts.removeUnreferenced({ now: later(), signal: AbortSignal.abort() }), {
        name: 'AbortError',
      })
    })
  })

  describe('sweep', () => {
    it('removes old bytes without a row, and nothing else', async () => {
      const [kept = ''] = await keep('kept')
      const [forgotten, young] = (await stage('forgotten', 'young')) as [StagedBlob, StagedBlob]
      await store.commitAll([forgotten, young])
      await ageBytes(kept, forgotten.sha256)

      assert.deepEqual(await artifacts.sweep(), { count: 1, bytes: 9 })

      assert.deepEqual(await names(store), [kept, young.sha256].sort())
    })

    it('removes nothing while the bytes are pinned', async () => {
      const [forgotten] = (await stage('forgotten')) as [StagedBlob]
      await forgotten.commit()
      const client = await database.connect()
      await pinBytes(client)

      assert.deepEqual(await artifacts.sweep({ now: later() }), { count: 0, bytes: 0 })

      await client.end()
    })
  })
})

function sha256Of(content: string): string {
  return createHash('sha256').update(content).digest('hex')
}

/** The same store, but its first deletion waits until it is released. */
function heldStore(store: BlobStore): BlobStore & { readonly deleting: Promise<void>; release(): void } {
  const deleting = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  return {
    stage: (source, options) => store.stage(source, options),
    commitAll: (staged) => store.commitAll(staged),
    open: (sha256, range) => store.open(sha256, range),
    stat: (sha256) => store.stat(sha256),
    list: () => store.list(),
    scratch: () => store.scratch(),
    async delete(sha256) {
      deleting.resolve()
      await released.promise
      return store.delete(sha256)
    },
    deleting: deleting.promise,
    release: () => released.resolve(),
  }
}

async function untilSomebodyWaits(database: Database): Promise<void> {
  await untilLocks(database, `select 1 from pg_locks where locktype = 'advisory' and not granted`, 1)
}

async function untilUnpinned(database: Database): Promise<void> {
  await untilLocks(database, `select 1 from pg_locks where locktype = 'advisory' limit 1`, 0)
}

async function untilLocks(database: Database, query: string, wanted: number): Promise<void> {
  for (;;) {
    const { rowCount } = await database.pool.query(query)
    if (rowCount === wanted) return
  }
}
