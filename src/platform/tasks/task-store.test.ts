import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { Kysely } from 'kysely'
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import { requestCancel } from './held-task-store.ts'
import type { TaskTables } from './tables.ts'
import { insertTask, listResources } from './task-store.ts'

let opened: TestDatabase
let db: Kysely<TaskTables>
before(async () => {
  opened = await createTestDatabase()
  db = opened.database.tables<TaskTables>()
})
after(() => opened[Symbol.asyncDispose]())

describe('a stopped task', () => {
  it('holds nothing any more, so that claims need not look at history', async () => {
    const id = randomUUID()
    const resources = [
      { name: 'repository:1', mode: 'exclusive' },
      { name: 'product:1', mode: 'shared' },
    ] as const
    const task = {
      kind: 'x',
      label: 'x',
      action: 'x',
      humanizedAction: 'x',
      input: {},
      user: { id: undefined, login: 'x' },
    }
    await db.transaction().execute((tx) => insertTask(tx, id, { ...task, resources }))
    const before = await listResources(db, id)

    await db.transaction().execute((tx) => requestCancel(tx, id))

    assert.deepEqual(before, [
      { resource: 'product:1', is_exclusive: false },
      { resource: 'repository:1', is_exclusive: true },
    ])
    assert.deepEqual(await listResources(db, id), [])
  })
})
