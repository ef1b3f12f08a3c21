import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { chunks, digestOf, names } from '../../../test/conformance/blob-store-samples.ts'
import { fillOddDatabase, fingerprint, writeOddMigrations } from '../../../test/support/odd-database.ts'
import { lacksOldestPostgres, startOldestPostgres } from '../../../test/support/oldest-postgres.ts'
import { createBareDatabase } from '../../../test/support/test-database.ts'
import { waitUntil } from '../../../test/support/wait-until.ts'
import { Artifacts } from '../blobs/artifacts.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import { openFileBlobStore } from '../blobs/file-blob-store.ts'
import { BlobPaths } from '../blobs/paths.ts'
import type { Database } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import type { MigrationSet } from '../db/migration.ts'
import { backup } from './backup.ts'
import { restore } from './restore.ts'

const contents = ['', 'small', 'x'.repeat(512), 'y'.repeat(3_000_000)]
const digests = contents.map((content) => digestOf('sha256', content)).sort()
const laterMs = 2 * 60 * 60_000

let migrations: { readonly folder: string; readonly sets: MigrationSet[] }
let opened: AsyncDisposableStack
let folder: string

before(async () => {
  migrations = await writeOddMigrations()
})

after(() => rm(migrations.folder, { recursive: true }))

beforeEach(async () => {
  opened = new AsyncDisposableStack()
  folder = await mkdtemp(join(tmpdir(), 'backup-'))
  opened.defer(() => rm(folder, { recursive: true }))
})

afterEach(() => opened.disposeAsync())

async function bareDatabase(): Promise<Database> {
  return opened.use(await createBareDatabase()).database
}

async function fill(database: Database, blobs: BlobStore): Promise<Artifacts> {
  await fillOddDatabase(database, migrations.sets)
  const artifacts = new Artifacts({ database, store: blobs })
  await artifacts.keep(await Promise.all(contents.map((content) => blobs.stage(chunks(content)))))
  await database.pool.query('update odd_children set sha256 = $1 where id = 1', [digests[0]])
  return artifacts
}

async function source() {
  const database = await bareDatabase()
  const blobs = await openFileBlobStore(join(folder, 'blobs'))
  return { database, blobs, artifacts: await fill(database, blobs) }
}

describe('backup and restore', () => {
  const roundTrip = async (from: Database, to: Database) => {
    const blobs = await openFileBlobStore(join(folder, 'blobs'))
    await fill(from, blobs)
    const file = join(folder, 'backup.tar')
    const manifest = await backup({ database: from, blobs, output: createWriteStream(file) })
    const restored = await openFileBlobStore(join(folder, 'restored'))

    const read = await restore({
      database: to,
      blobs: restored,
      migrations: migrations.sets,
      input: createReadStream(file),
    })

    assert.deepEqual(read, manifest)
    assert.deepEqual(await fingerprint(to), await fingerprint(from))
    assert.deepEqual(await names(restored), digests)
    assert.deepEqual(await readdir(join(folder, 'restored', 'tmp')), [])
  }

  it('bring everything into a new database', async () => {
    await roundTrip(await bareDatabase(), await bareDatabase())
  })

  it('bring everything from the oldest PostgreSQL to the present one', { skip: lacksOldestPostgres }, async () => {
    await roundTrip(opened.use(await startOldestPostgres()).database, await bareDatabase())
  })

  it('bring everything from the present PostgreSQL to the oldest one', { skip: lacksOldestPostgres }, async () => {
    await roundTrip(await bareDatabase(), opened.use(await startOldestPostgres()).database)
  })

  it('leave a database that goes on where the other one was', async () => {
    const [from, to] = [await bareDatabase(), await bareDatabase()]
    await roundTrip(from, to)

    const next = async (database: Database) => {
      const { rows } = await database.pool.query(`
        insert into odd_parents (name) values ('next') returning id, nextval('odd_numbers') as number`)
      await database.pool.query('insert into odd_children (parent_id) values (1)')
      const log = await database.pool.query('select count(*) as notes from odd_log')
      return { ...rows[0], ...log.rows[0] }
    }

    assert.deepEqual(await next(to), { id: 5, number: 17, notes: 4 })
    assert.deepEqual(await next(from), { id: 5, number: 17, notes: 4 })
    await assert.rejects(to.pool.query('insert into odd_children (parent_id) values (99)'), { code: '23503' })
  })

  it('fit into a program that has newer migrations', async () => {
    const { database, blobs } = await source()
    const file = join(folder, 'backup.tar')
    await backup({ database, blobs, output: createWriteStream(file) })
    const newer = await writeOddMigrations()
    opened.defer(() => rm(newer.folder, { recursive: true }))
    await writeFile(join(newer.folder, 'odd', '0002-more.sql'), 'create table odd_more (id integer)')
    const to = await bareDatabase()
    const store = await openFileBlobStore(join(folder, 'restored'))

    await restore({ database: to, blobs: store, migrations: newer.sets, input: createReadStream(file) })

    assert.deepEqual(await fingerprint(to), await fingerprint(database))
    assert.deepEqual(await migrate(to, newer.sets), ['odd/0002-more'])
  })
})

describe('backup', () => {
  it('writes a tar file that other programs can read, with a manifest first', async () => {
    const { database, blobs } = await source()
    const file = join(folder, 'backup.tar')
    const progress: object[] = []

    const manifest = await backup({
      database,
      blobs,
      output: createWriteStream(file),
      onProgress: (made) => progress.push(made),
    })

    const listed = execFileSync('tar', ['tf', file], { encoding: 'utf8' }).trimEnd().split('\n')
    assert.equal(listed[0], 'manifest.json')
    assert.deepEqual(
      listed.filter((name) => name.startsWith('blobs/')),
      digests.map((sha256) => `blobs/${sha256}`),
    )
    assert.equal(listed.indexOf('sequences.json'), listed.length - digests.length - 1)
    const read = execFileSync('tar', ['xOf', file, 'manifest.json'], { encoding: 'utf8' })
    assert.deepEqual(JSON.parse(read), manifest)
    assert.deepEqual(manifest.blobs, { count: 4, bytes: 3_000_517 })
    assert.deepEqual(progress.at(-1), { blobs: 4, bytes: 3_000_517, totalBlobs: 4, totalBytes: 3_000_517 })
    assert.deepEqual(
      manifest.tables.find(({ name }) => name === 'odd_parents'),
      { name: 'odd_parents', columns: ['id', 'name', 'favourite_id'], rows: 3 },
    )
  })

  it('takes the state of one moment, while others write and remove', async () => {
    const { database, blobs, artifacts } = await source()
    const before = await fingerprint(database)
    const output = new PassThrough({ highWaterMark: 1 })
    const running = backup({ database, blobs, output })
    const first: Buffer = await new Promise((resolve) => output.once('data', resolve))
    output.pause()

    await artifacts.keep([await blobs.stage(chunks('too late'))])
    await database.pool.query(`
      update odd_children set sha256 = null;
      insert into odd_parents (name) values ('too late');
      delete from users`)
    await artifacts.removeUnreferenced({ now: Date.now() + laterMs })
    await artifacts.sweep({ now: Date.now() + laterMs })
    const input = async function* () {
      yield first
      yield* output as AsyncIterable<Uint8Array>
    }
    const to = await bareDatabase()
    const store = await openFileBlobStore(join(folder, 'restored'))
    await restore({ database: to, blobs: store, migrations: migrations.sets, input: input() })
    await running

    // Numbers that were given out are lost, which is harmless.
    const { odd_parents_id_seq: _, ...restored } = await fingerprint(to)
    const { odd_parents_id_seq: __, ...expected } = before
    assert.deepEqual(restored, expected)
    assert.deepEqual(await names(store), digests)
    assert.deepEqual(await artifacts.removeUnreferenced({ now: Date.now() + laterMs }), { count: 5, bytes: 3_000_525 })
  })

  for (const [what, damage, message] of [
    ['damaged', (path: string) => writeFile(path, 'SMALL'), /: it is damaged, its sha256 is [0-9a-f]{64}$/],
    ['too short', (path: string) => writeFile(path, 'sm'), /: it has 2 bytes instead of 5$/],
    ['missing', (path: string) => rm(path), /: it is missing$/],
  ] as const) {
    it(`fails when a blob is ${what}`, async () => {
      const { database, blobs } = await source()
      await damage(new BlobPaths(join(folder, 'blobs')).blob(digestOf('sha256', 'small')))

      await assert.rejects(backup({ database, blobs, output: new PassThrough().resume() }), {
        name: 'AppError',
        code: 'internal',
        message,
      })
    })
  }

  it('fails with the failure of the output', async () => {
    const { database, blobs } = await source()
    const output = new Writable({
      write: (_chunk, _encoding, done) => done(new Error('the disk is full')),
    })

    await assert.rejects(backup({ database, blobs, output }), { message: 'the disk is full' })
  })

  it('ends with the reason of the signal and lets bytes be removed again', async () => {
    const { database, blobs, artifacts } = await source()
    const aborter = new AbortController()
    const reason = new Error('cancelled by the user')
    const output = new PassThrough({ highWaterMark: 1 })
    const running = backup({ database, blobs, output, signal: aborter.signal })
    output.once('readable', () => aborter.abort(reason))

    await assert.rejects(running, reason)

    await database.pool.query('update odd_children set sha256 = null')
    const remove = () => artifacts.removeUnreferenced({ now: Date.now() + laterMs })
    await waitUntil('bytes can be removed', async () => (await remove()).count > 0)
    assert.deepEqual(await names(blobs), [])
  })
})
