import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/test-database.ts'
import { decompress } from '../../../../platform/compression/decompress.ts'
import type { MetadataFile, PublishContext, StoredUnit, WrittenFile } from '../../../content-type.ts'
import { publishYum } from '../publish/publish-yum.ts'
import { markModular } from './modular-packages.ts'
import type { PackageFields } from './package-fields.ts'
import { savePackages } from './package-store.ts'
import { fileNameOf, type PackageUnit, packagePath } from './package-unit.ts'

let opened: TestDatabase
let db: Kysely<unknown>
before(async () => {
  opened = await createTestDatabase()
  db = opened.database.tables<Record<string, never>>() as unknown as Kysely<unknown>
})
after(() => opened[Symbol.asyncDispose]())

const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')

function packageOf(number: number): PackageUnit {
  const fields: PackageFields = {
    name: `p${number}`,
    epoch: 0,
    version: '1.0',
    release: '1',
    arch: 'noarch',
    summary: 'A package',
    sourceRpm: '',
    sizeBytes: 1000 + number,
    buildTime: 1,
  }
  const digest = sha256(`package ${number}`)
  const files = [{ path: packagePath(fields), sha256: digest, sizeBytes: fields.sizeBytes }] as const
  const primary = { beforeChecksum: `<name>p${number}</name>`, beforeLocation: '', afterLocation: '<format/>' }
  const fragments = async () => ({ primary, filelists: `<file>/f${number}</file>`, other: '' })
  const identity = { kind: 'rpm', naturalKey: digest, name: fileNameOf(fields), sha256: digest } as const
  return { ...identity, files, fields, isModular: false, fragments }
}

async function save(units: readonly PackageUnit[]): Promise<StoredUnit<PackageUnit>[]> {
  const stored: StoredUnit<PackageUnit>[] = []
  for (const unit of units) {
    const { rows } = await sql<{ id: number }>`
      insert into units (kind, natural_key) values ('rpm', ${unit.naturalKey})
      on conflict (kind, natural_key) do update set touched_at = now() returning id`.execute(db)
    stored.push({ id: (rows[0] as { id: number }).id, unit })
  }
  await savePackages(db, stored)
  return stored
}

/** A set with these units in its first version. */
async function setOf(units: readonly StoredUnit[]): Promise<number> {
  const { rows } = await sql<{ id: number }>`insert into content_sets (latest_version) values (1) returning id`.execute(
    db,
  )
  const { id } = rows[0] as { id: number }
  await sql`insert into content_set_versions (set_id, number) values (${id}, 1)`.execute(db)
  await sql`
    insert into content_set_units (set_id, unit_id, added_in)
    select ${id}, unit, 1 from unnest(${units.map((unit) => unit.id)}::bigint[]) as unit`.execute(db)
  return id
}

type Published = Record<string, Buffer>

async function publish(setId: number, attributes: object = {}): Promise<Published> {
  const context: PublishContext = {
    db,
    setId,
    version: 1,
    createdAt: new Date(1_700_000_000_000),
    attributes: { checksum_type: null, ...attributes },
    signer: { signDetached: async (bytes) => `signed ${sha256(bytes)}`, publicKey: async () => 'key' },
    signal: new AbortController().signal,
  }
  const files: Published = {}
  const writing = publishYum(context)
  let written: WrittenFile | undefined
  for (;;) {
    const next: IteratorResult<MetadataFile, void> = await (written === undefined
      ? writing.next()
      : writing.next(written))
    if (next.done === true) return files
    const bytes = Buffer.concat(await Array.fromAsync(next.value.content))
    const digest = sha256(bytes)
    const path = typeof next.value.path === 'string' ? next.value.path : next.value.path(digest)
    written = { path, sha256: digest, sizeBytes: bytes.length }
    files[path] = bytes
  }
}

async function listIn(files: Published, list: string): Promise<string> {
  const [, bytes] = Object.entries(files).find(([path]) => path.includes(`-${list}.xml`)) as [string, Buffer]
  const { signal } = new AbortController()
  const opened = decompress(ReadableStream.from([bytes]), { name: list, maxBytes: 100_000_000, signal })
  return String(Buffer.concat(await Array.fromAsync(opened)))
}

const namesIn = (xml: string) => [...xml.matchAll(/<name>(p\d+)<\/name>/g)].map(([, name]) => name)

describe('packages', () => {
  it('are published in lists that say what repomd.xml says of them', async () => {
    const units = await save(Array.from({ length: 600 }, (_, number) => packageOf(number)))
    const files = await publish(await setOf(units))

    const repomd = String(files['repodata/repomd.xml'])
    assert.equal(String(files['repodata/repomd.xml.asc']), `signed ${sha256(repomd)}`)
    assert.equal(String(files['key.asc']), 'key')
    assert.match(repomd, /<revision>1700000000<\/revision>/)
    for (const list of ['primary', 'filelists', 'other']) {
      const xml = await listIn(files, list)
      assert.match(xml, /^<\?xml version="1.0" encoding="UTF-8"\?>\n<\w+ [^>]*packages="600">\n/)
      assert.equal(xml.match(/<package /g)?.length, 600)
      const path = Object.keys(files).find((name) => name.includes(`-${list}.xml`)) as string
      assert.ok(path.startsWith(`repodata/${sha256(files[path] as Buffer)}`))
      assert.ok(repomd.includes(`<open-checksum type="sha256">${sha256(xml)}</open-checksum>`), list)
      assert.ok(repomd.includes(`<open-size>${Buffer.byteLength(xml)}</open-size>`), list)
    }
    const primary = await listIn(files, 'primary')
    assert.ok(primary.includes(`<location href="Packages/p/p7-1.0-1.noarch.rpm"/>`))
    assert.ok(primary.includes(sha256('package 7')))
    assert.match(
      await listIn(files, 'filelists'),
      new RegExp(`pkgid="${sha256('package 7')}" name="p7" arch="noarch"><file>/f7</file>`),
    )
  })

  it('are marked when a module names them, also later', async () => {
    const units = await save([700, 701, 702].map((number) => packageOf(number)))
    const names = ['p700-0:1.0-1.noarch', 'p701-1:1.0-1.noarch', 'p702-0:1.0-1.x86_64', 'unknown', 'p-0:1-1.noarch']
    await markModular(db, names)
    await markModular(db, names)
    const { rows } = await sql<{ name: string }>`
      select name from rpm_units where is_modular and unit_id = any(${units.map(({ id }) => id)}::bigint[])`.execute(db)
    assert.deepEqual(rows, [{ name: 'p700' }])
  })

  it('are taken out of packs one by one where a version does not hold all of one', async () => {
    const units = await save(Array.from({ length: 600 }, (_, number) => packageOf(number)))
    const some = units.filter((_, index) => index % 3 === 0)
    const names = namesIn(await listIn(await publish(await setOf(some)), 'primary'))
    assert.deepEqual(names.toSorted(), some.map(({ unit }) => unit.fields.name).toSorted())
  })

  it('that came one by one are packed together, and what others publish of them stays the same', async () => {
    const units: StoredUnit<PackageUnit>[] = []
    for (let number = 1000; number < 1040; number += 1) units.push(...(await save([packageOf(number)])))
    const other = await setOf(units.slice(10, 12))
    const before = await listIn(await publish(other), 'primary')
    const packs = async () => {
      const { rows } = await sql<{ count: number }>`
        select count(distinct pack_id)::int as count from rpm_units where name like 'p10__'`.execute(db)
      return rows[0]?.count
    }
    assert.equal(await packs(), 40)

    const names = namesIn(await listIn(await publish(await setOf(units)), 'primary'))

    assert.equal(await packs(), 1)
    assert.deepEqual(names.toSorted(), units.map(({ unit }) => unit.fields.name).toSorted())
    assert.equal(await listIn(await publish(other), 'primary'), before)
  })

  it('are published with gzip for clients that know nothing else', async () => {
    const units = await save([packageOf(1)])
    const setId = await setOf(units)
    for (const attributes of [{ checksum_type: 'sha1' }, { os_versions: ['os-7'] }]) {
      const files = await publish(setId, attributes)
      assert.equal(Object.keys(files).filter((name) => name.endsWith('.zst')).length, 0)
      assert.deepEqual(namesIn(await listIn(files, 'primary')), ['p1'])
    }
  })

  it('leave no pack behind when the last of them is deleted', async () => {
    const units = await save([packageOf(2000), packageOf(2001)])
    const packId = sql`(select pack_id from rpm_units where unit_id = ${units[0]?.id})`
    const { rows } = await sql<{ id: number }>`select ${packId} as id`.execute(db)
    const count = async () => (await sql`select 1 from rpm_packs where id = ${rows[0]?.id}`.execute(db)).rows.length
    for (const [index, left] of [1, 0].entries()) {
      await sql`delete from units where id = ${units[index]?.id}`.execute(db)
      assert.equal(await count(), left)
    }
  })
})
