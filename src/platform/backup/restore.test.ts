import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { pack } from 'tar-stream'
import { digestOf, names } from '../../../test/conformance/blob-store-samples.ts'
import { fillOddDatabase, writeOddMigrations } from '../../../test/support/odd-database.ts'
import { bytesOf, type Entry, makeSampleBackup, tarOf, withText } from '../../../test/support/sample-backup.ts'
import { createBareDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import { waitUntil } from '../../../test/support/wait-until.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import { openFileBlobStore } from '../blobs/file-blob-store.ts'
import type { Database } from '../db/database.ts'
import { migrate, platformMigrations } from '../db/migrate.ts'
import type { MigrationSet } from '../db/migration.ts'
import { restore } from './restore.ts'

const contents = ['one', 'two', 'three']
const [firstDigest = ''] = contents.map((content) => digestOf('sha256', content)).sort()

let migrations: { readonly folder: string; readonly sets: MigrationSet[] }
/** A good backup, which the tests spoil in their ways. */
let good: readonly Entry[]
let folder: string
let made: TestDatabase
let database: Database
let blobs: BlobStore

before(async () => {
  migrations = await writeOddMigrations()
  await using sample = await createBareDatabase()
  await fillOddDatabase(sample.database, migrations.sets)
  good = await makeSampleBackup(sample.database, contents)
})

after(() => rm(migrations.folder, { recursive: true }))

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'restore-'))
  blobs = await openFileBlobStore(folder)
  made = await createBareDatabase()
  database = made.database
})

afterEach(async () => {
  await made[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const run = (input: AsyncIterable<Uint8Array>, sets = migrations.sets) =>
  restore({ database, blobs, migrations: sets, input })

async function assertNothingChanged(): Promise<void> {
  const { rows } = await database.pool.query(`select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'S')`)
  assert.deepEqual(rows, [])
  assert.deepEqual(await names(blobs), [])
  assert.deepEqual(await readdir(join(folder, 'tmp')), [])
}

describe('restore of what cannot be read', () => {
  const blobName = `blobs/${firstDigest}`

  it('refuses one that is cut off anywhere, and changes nothing', async () => {
    const whole = await bytesOf(good)
    const blobStart = whole.indexOf(blobName)

    for (const length of [0, 1, 511, 512, 700, blobStart - 1, blobStart + 512, blobStart + 600, whole.length - 2000]) {
      const cut = async function* () {
        yield whole.subarray(0, length)
      }
      await assert.rejects(run(cut()), { name: 'AppError', code: 'invalid' }, `cut off after ${length} bytes`)
    }
    await assertNothingChanged()
  })

  it('refuses what is no tar file', async () => {
    const noise = async function* () {
      yield Buffer.alloc(100_000, 'noise')
    }

    await assert.rejects(run(noise()), { code: 'invalid', message: /^Cannot restore: the backup cannot be read \(/ })
    await assertNothingChanged()
  })

  for (const type of ['symlink', 'link', 'directory', 'character-device'] as const) {
    it(`refuses a ${type}`, async () => {
      const tar = pack()
      tar.entry({ name: 'manifest.json', type, linkname: '/etc/passwd' })
      tar.finalize()

      await assert.rejects(run(tar as unknown as AsyncIterable<Uint8Array>), {
        code: 'invalid',
        message: `Cannot restore: the backup has a ${type} in it`,
      })
      await assertNothingChanged()
    })
  }

  it('passes on that the input fails', async () => {
    const whole = await bytesOf(good)
    const failing = async function* () {
      yield whole.subarray(0, 20_000)
      throw new Error('the tape is torn')
    }

    await assert.rejects(run(failing()), { message: 'the tape is torn' })
    await assertNothingChanged()
  })

  it('ends with the reason of the signal although the input hangs, and changes nothing', async () => {
    const aborter = new AbortController()
    const reason = new Error('cancelled by the user')
    const whole = await bytesOf(good)
    const hanging = async function* () {
      yield whole.subarray(0, whole.indexOf(blobName) + 512)
      setImmediate(() => aborter.abort(reason))
      await new Promise(() => {})
    }
    const { signal } = aborter

    const running = restore({ database, blobs, migrations: migrations.sets, input: hanging(), signal })

    await assert.rejects(running, reason)
    await assertNothingChanged()
  })
})

describe('restore into the wrong place', () => {
  it('refuses a database that is not empty', async () => {
    await migrate(database, [platformMigrations])
    await database.pool.query(`insert into settings values ('name', 'value')`)

    await assert.rejects(run(tarOf(good)), {
      code: 'conflict',
      message: 'Cannot restore: table "settings" is not empty; use a new database',
    })
    assert.deepEqual(await names(blobs), [])
  })

  it('takes a database whose tables are empty', async () => {
    await migrate(database, [platformMigrations])

    await run(tarOf(good))

    assert.equal((await names(blobs)).length, 3)
  })

  it('refuses a database with migrations that the backup lacks', async () => {
    const [platform, odd] = migrations.sets as [MigrationSet, MigrationSet]
    const newer = await writeOddMigrations()
    await writeFile(join(newer.folder, 'odd', '0001-tables.sql'), 'create table other (id integer)')
    await migrate(database, [platform, { ...odd, folder: join(newer.folder, 'odd') }])
    await rm(newer.folder, { recursive: true })

    await assert.rejects(run(tarOf(good)), { code: 'conflict', message: /the database has migration odd\/1, which/ })
  })

  it('refuses a backup of a newer program', async () => {
    await assert.rejects(run(tarOf(good), [platformMigrations]), {
      code: 'conflict',
      message: 'Cannot restore: migration odd/1 of the backup is unknown, a newer Backhaul made it',
    })
    await assertNothingChanged()
  })

  it('refuses a backup whose migrations are others of the same name', async () => {
    const entries = withText(good, 'manifest.json', (text) =>
      text.replace(/"digest": "\w+"/, `"digest": "${'0'.repeat(64)}"`),
    )

    await assert.rejects(run(tarOf(entries)), { code: 'conflict', message: /is not the one of this Backhaul$/ })
    await assertNothingChanged()
  })
})

const restoreAndHang = `
import { createReadStream } from 'node:fs'
import { openFileBlobStore } from ${JSON.stringify(import.meta.resolve('../blobs/file-blob-store.ts'))}
import { Database } from ${JSON.stringify(import.meta.resolve('../db/database.ts'))}
import { createLogger } from ${JSON.stringify(import.meta.resolve('../log.ts'))}
import { restore } from ${JSON.stringify(import.meta.resolve('./restore.ts'))}
const [root, connectionString, file, sets] = process.argv.slice(1)
const database = new Database({ connection: { connectionString }, logger: createLogger('silent') })
const input = async function* () {
  yield* createReadStream(file)
  await new Promise(() => setInterval(() => {}, 1000))
}
const blobs = await openFileBlobStore(root)
await restore({ database, blobs, migrations: JSON.parse(sets), input: input() })
`

describe('restore that is killed', () => {
  it('changes nothing that stays', async () => {
    const file = join(folder, 'cut.tar')
    await writeFile(file, (await bytesOf(good)).subarray(0, -1024))
    const args = ['--input-type=module', '-e', restoreAndHang, folder, made.url, file, JSON.stringify(migrations.sets)]
    const child = spawn(process.execPath, args, { stdio: 'inherit' })
    await waitUntil('all blobs are staged', async () => (await readdir(join(folder, 'tmp'))).length === contents.length)

    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    await rm(file)
    blobs = await openFileBlobStore(folder)

    if (process.platform === 'linux') await assertNothingChanged()
  })
})
