import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import { insertTask } from '../../platform/tasks/task-store.ts'
import type { ContentTables } from '../tables.ts'
import { insertContentSet } from './content-set-store.ts'
import { deleteForgottenSets, deleteMadeSets, makeSet } from './made-set-store.ts'
import { saveUnitFiles, saveUnits } from './unit-store.ts'

let opened: TestDatabase
let db: Kysely<ContentTables>
before(async () => {
  opened = await createTestDatabase()
  db = opened.database.tables<ContentTables>()
})
after(() => opened[Symbol.asyncDispose]())

/** A set whose first version has files with these paths, each with bytes of its own. */
async function setOf(name: string, paths: readonly string[]): Promise<number> {
  const units = await saveUnits(
    db,
    paths.map((path) => ({
      kind: 'file',
      naturalKey: `${name} ${path}`,
      name: path,
      files: [{ path, sha256: `${name} ${path}`, sizeBytes: 1 }],
    })),
  )
  await saveUnitFiles(db, units, new Set())
  const setId = await insertContentSet(db)
  const ids = units.map(({ id }) => id)
  await sql`insert into content_set_units (set_id, unit_id, added_in) select ${setId}, id, 0 from unnest(${ids}::bigint[]) as id`.execute(
    db,
  )
  return setId
}

const isTaken = () => sql<boolean>`true`

async function filesIn(setId: number): Promise<string[]> {
  const { rows } = await sql<{ sha256: string }>`
    select f.sha256 from content_set_units m join unit_files f on f.unit_id = m.unit_id
    where m.set_id = ${setId} order by 1`.execute(db)
  return rows.map(({ sha256 }) => sha256)
}

const isThere = async (id: number) =>
  (await db.selectFrom('content_sets').select('id').where('id', '=', id).execute()).length === 1

describe('a set that a task makes', () => {
  it('has what its sources have, of two files at one path that of the first', async () => {
    const [one, two] = [await setOf('one', ['a', 'b']), await setOf('two', ['b', 'c'])]
    const sources = [one, two].map((setId) => ({ setId, version: 0 }))
    const made = await makeSet(db, { taskId: randomUUID(), sources, isTaken })
    assert.deepEqual(await filesIn(made.setId), ['one a', 'one b', 'two c'])
  })

  it('goes when the task begins anew, and the sets of others stay', async () => {
    const sources = [{ setId: await setOf('again', ['a']), version: 0 }]
    const [mine, other] = [randomUUID(), randomUUID()]
    const made = await makeSet(db, { taskId: mine, sources, isTaken })
    const stays = await makeSet(db, { taskId: other, sources, isTaken })
    await deleteMadeSets(db, mine)
    assert.deepEqual([await isThere(made.setId), await isThere(stays.setId)], [false, true])
  })

  it('is forgotten when the task has ended, and not while it runs', async () => {
    const sources = [{ setId: await setOf('left', ['a']), version: 0 }]
    const taskId = randomUUID()
    const user = { id: undefined, login: 'x' }
    const words = { kind: 'x', label: 'x', action: 'x', humanizedAction: 'x', input: {}, resources: [], user }
    await db.transaction().execute((tx) => insertTask(tx, taskId, words))
    const made = await makeSet(db, { taskId, sources, isTaken })
    const kept = await setOf('kept', ['a'])
    await deleteForgottenSets(db)
    assert.equal(await isThere(made.setId), true)
    await db
      .updateTable('tasks')
      .set({ state: 'stopped', result: 'cancelled', ended_at: new Date() })
      .where('id', '=', taskId)
      .execute()
    await deleteForgottenSets(db)
    assert.deepEqual([await isThere(made.setId), await isThere(kept)], [false, true])
  })
})
