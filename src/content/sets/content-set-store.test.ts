import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { Kysely } from 'kysely'
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import { insertTask } from '../../platform/tasks/task-store.ts'
import type { ContentTables } from '../tables.ts'
import { createVersion, insertContentSet, purgeVersions } from './content-set-store.ts'
import { clearStaging, deleteUnusedUnits, saveUnits, stageUnits } from './unit-store.ts'

let opened: TestDatabase
let db: Kysely<ContentTables>
before(async () => {
  opened = await createTestDatabase()
  db = opened.database.tables<ContentTables>()
})
after(() => opened[Symbol.asyncDispose]())

/** Makes these units the content of a set, as a sync does; those that begin with `only` are of a kind of their own. */
async function sync(setId: number, names: readonly string[], removesOthers = true) {
  const taskId = randomUUID()
  const words = {
    kind: 'x',
    label: 'x',
    action: 'x',
    humanizedAction: 'x',
    input: {},
    resources: [],
    user: { id: undefined, login: 'x' },
  }
  await db.transaction().execute((tx) => insertTask(tx, taskId, words))
  const saved = await saveUnits(
    db,
    names.map((name) => ({ kind: name.startsWith('only') ? 'only' : 'file', naturalKey: name, name, files: [] })),
  )
  await stageUnits(
    db,
    taskId,
    saved.map(({ id }) => id),
  )
  return db.transaction().execute(async (tx) => {
    const result = await createVersion(tx, { setId, taskId, removesOthers, singleKinds: ['only', 'none'] })
    await clearStaging(tx, taskId)
    return result
  })
}

async function unitsOf(setId: number, version: number): Promise<string[]> {
  const rows = await db
    .selectFrom('content_set_units as m')
    .innerJoin('units as u', 'u.id', 'm.unit_id')
    .select('u.natural_key')
    .where('m.set_id', '=', setId)
    .where('m.added_in', '<=', version)
    .where((eb) => eb.or([eb('m.removed_in', 'is', null), eb('m.removed_in', '>', version)]))
    .orderBy('u.natural_key')
    .execute()
  return rows.map(({ natural_key }) => natural_key)
}

describe('createVersion()', () => {
  it('makes versions that stay what they were, and none when nothing differs', async () => {
    const setId = await insertContentSet(db)

    assert.deepEqual(await sync(setId, ['a', 'b']), { version: 1, added: 2, removed: 0 })
    assert.deepEqual(await sync(setId, ['b', 'c']), { version: 2, added: 1, removed: 1 })
    assert.deepEqual(await sync(setId, ['b', 'c']), { version: 2, added: 0, removed: 0 })
    assert.deepEqual(await sync(setId, ['a', 'b', 'c']), { version: 3, added: 1, removed: 0 })
    assert.deepEqual(await sync(setId, ['d'], false), { version: 4, added: 1, removed: 0 })

    assert.deepEqual(await unitsOf(setId, 0), [])
    assert.deepEqual(await unitsOf(setId, 1), ['a', 'b'])
    assert.deepEqual(await unitsOf(setId, 2), ['b', 'c'])
    assert.deepEqual(await unitsOf(setId, 3), ['a', 'b', 'c'])
    assert.deepEqual(await unitsOf(setId, 4), ['a', 'b', 'c', 'd'])
  })

  it('puts the next unit in the place of the last one where there can only be one of a kind', async () => {
    const setId = await insertContentSet(db)
    await sync(setId, ['m', 'only one'])
    await sync(setId, ['n'], false)
    assert.deepEqual(await unitsOf(setId, 2), ['m', 'n', 'only one'])
    assert.deepEqual(await sync(setId, ['only two'], false), { version: 3, added: 1, removed: 1 })
    assert.deepEqual(await sync(setId, ['only two'], false), { version: 3, added: 0, removed: 0 })
    assert.deepEqual(await unitsOf(setId, 3), ['m', 'n', 'only two'])
  })

  it('shares units between sets', async () => {
    const [first, second] = [await insertContentSet(db), await insertContentSet(db)]

    await Promise.all([sync(first, ['shared', 'x']), sync(second, ['shared', 'y'])])

    const { count } = await db
      .selectFrom('units')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('natural_key', '=', 'shared')
      .executeTakeFirstOrThrow()
    assert.equal(count, 1)
  })
})

describe('purgeVersions()', () => {
  it('forgets what neither the latest version nor a publication needs, and no more', async () => {
    const setId = await insertContentSet(db)
    await sync(setId, ['p', 'q'])
    await sync(setId, ['q', 'r'])
    await sync(setId, ['r', 's'])
    await db.insertInto('publications').values({ set_id: setId, set_version: 1, retired_at: null }).execute()

    await purgeVersions(db, [setId])

    assert.deepEqual(await unitsOf(setId, 1), ['p', 'q'])
    assert.deepEqual(await unitsOf(setId, 3), ['r', 's'])
    const versions = await db
      .selectFrom('content_set_versions')
      .select('number')
      .where('set_id', '=', setId)
      .orderBy('number')
      .execute()
    assert.deepEqual(
      versions.map(({ number }) => number),
      [1, 3],
    )
  })
})

describe('deleteUnusedUnits()', () => {
  it('deletes what nobody holds and nobody touched for an hour', async () => {
    const setId = await insertContentSet(db)
    await sync(setId, ['held'])
    await saveUnits(
      db,
      ['old', 'young'].map((name) => ({ kind: 'file', naturalKey: name, name, files: [] })),
    )
    await db
      .updateTable('units')
      .set({ touched_at: new Date(Date.now() - 3_700_000) })
      .where('natural_key', 'in', ['old', 'held'])
      .execute()

    await deleteUnusedUnits(db)

    const left = await db
      .selectFrom('units')
      .select('natural_key')
      .where('natural_key', 'in', ['old', 'young', 'held'])
      .orderBy('natural_key')
      .execute()
    assert.deepEqual(
      left.map(({ natural_key }) => natural_key),
      ['held', 'young'],
    )
  })
})
