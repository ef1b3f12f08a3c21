import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { digestOf, names } from '../../../test/conformance/blob-store-samples.ts'
import { fillOddDatabase, writeOddMigrations } from '../../../test/support/odd-database.ts'
import { type Entry, makeSampleBackup, tarOf, withManifest, withText } from '../../../test/support/sample-backup.ts'
import { createBareDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import { openFileBlobStore } from '../blobs/file-blob-store.ts'
import type { Database } from '../db/database.ts'
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

const run = (input: AsyncIterable<Uint8Array>) => restore({ database, blobs, migrations: migrations.sets, input })

async function assertNothingChanged(): Promise<void> {
  const { rows } = await database.pool.query(`select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'S')`)
  assert.deepEqual(rows, [])
  assert.deepEqual(await names(blobs), [])
  assert.deepEqual(await readdir(join(folder, 'tmp')), [])
}

describe('restore of a spoilt backup', () => {
  const blobName = `blobs/${firstDigest}`
  const part = 'tables/odd_parents/000001.copy'
  const extra = (name: string) => ({ name, content: Buffer.from('x') })
  const cases: [string, () => Entry[], RegExp][] = [
    ['without entries', () => [], /the backup ends where manifest.json should be$/],
    [
      'that is something else',
      () => [{ name: 'manifest.json', content: Buffer.from('{}') }],
      /not a backup of Backhaul$/,
    ],
    ['without JSON', () => withText(good, 'manifest.json', () => 'x'), /manifest.json is not JSON$/],
    ['of a later format', () => withManifest(good, (old) => ({ ...old, version: 2 })), /has format 2, 1 is known$/],
    [
      'with a damaged manifest',
      () => withManifest(good, (old) => ({ ...old, tables: [{}] })),
      /the manifest is damaged$/,
    ],
    [
      'with a huge manifest',
      () => withText(good, 'manifest.json', (text) => text.padEnd(17_000_000)),
      /more than 16777216 bytes$/,
    ],
    ['with rows missing', () => good.filter(({ name }) => name !== part), /"odd_parents" has 0 rows instead of 3$/],
    ['with rows of nonsense', () => withText(good, part, () => 'nonsense\n'), /^Cannot restore table "odd_parents": /],
    [
      'with half a row',
      () => withText(good, part, (text) => text.slice(0, -5)),
      /^Cannot restore( table "odd_parents")?: /,
    ],
    [
      'with the same row twice',
      () => withText(good, part, (text) => text + text),
      /^Cannot restore table "odd_parents": duplicate/,
    ],
    [
      'with a row that references nothing',
      () => withText(good, 'tables/odd_children/000001.copy', (text) => text.replace('\t1\t', '\t99\t')),
      /^Cannot restore the references between tables: /,
    ],
    [
      'with a part of rows too many',
      () => good.flatMap((entry) => (entry.name === part ? [entry, extra(part)] : [entry])),
      /has 0 rows instead of 3$/,
    ],
    [
      'with a table of another program',
      () => withManifest(good, withTable('pg_class')),
      /are not those of its migrations$/,
    ],
    [
      'with SQL for a name',
      () => withManifest(good, withTable('x"; drop table users; --')),
      /the manifest is damaged$/,
    ],
    [
      'without sequences',
      () => withText(good, 'sequences.json', () => '[]'),
      /the sequences of the backup are not those/,
    ],
    [
      'with SQL in a sequence',
      () => withText(good, 'sequences.json', (text) => text.replace(/"next": "\d+"/, '"next": "1; drop table users"')),
      /sequences.json is damaged$/,
    ],
    [
      'with a sequence out of range',
      () => withText(good, 'sequences.json', (text) => text.replace(/"next": "\d+"/, '"next": "-5"')),
      /^Cannot restore sequence/,
    ],
    [
      'with a changed blob',
      () => withText(good, blobName, (text) => text.toUpperCase()),
      /its sha256 is [0-9a-f]{64} instead of/,
    ],
    [
      'with a blob missing',
      () => good.filter(({ name }) => name !== blobName),
      /has 2 blobs with .* instead of 3 with/,
    ],
    [
      'with a blob twice',
      () => good.flatMap((entry) => (entry.name === blobName ? [entry, entry] : [entry])),
      /in a wrong place$/,
    ],
    ['with a blob that no row names', () => withStrangeBlob(), /are not those that its tables name$/],
    ...['../../etc/passwd', '/etc/passwd', 'blobs/../../x', `blobs/${firstDigest}/x`, 'extra'].map(
      (name): [string, () => Entry[], RegExp] => [`with ${name}`, () => [...good, extra(name)], /in a wrong place$/],
    ),
  ]

  const withTable = (name: string) => (old: Record<string, unknown>) => ({
    ...old,
    tables: [...(old['tables'] as object[]), { name, columns: ['oid'], rows: 0 }],
  })

  const withStrangeBlob = () => {
    const strange = { name: `blobs/${digestOf('sha256', 'four')}`, content: Buffer.from('four') }
    const entries = withManifest(good, (old) => ({ ...old, blobs: { count: 4, bytes: 15 } }))
    return [...entries, strange].sort((a, b) =>
      a.name.startsWith('blobs/') && b.name.startsWith('blobs/') ? (a.name < b.name ? -1 : 1) : 0,
    )
  }

  for (const [what, entries, message] of cases) {
    it(`refuses one ${what} and changes nothing`, async () => {
      await assert.rejects(run(tarOf(entries())), { name: 'AppError', code: 'invalid', message })

      await assertNothingChanged()
    })
  }
})
