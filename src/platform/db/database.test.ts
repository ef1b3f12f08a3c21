import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { createBareDatabase } from '../../../test/support/test-database.ts'
import { waitUntil } from '../../../test/support/wait-until.ts'

describe('a database', () => {
  it('outlives the loss of a connection in the middle of a transaction', async () => {
    await using made = await createBareDatabase()
    const db = made.database.tables()

    const work = db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
      const pid = rows[0]?.pid
      await sql`select pg_terminate_backend(${pid})`.execute(db)
      await waitUntil('the connection is gone', async () => {
        const { rows: left } = await sql`select from pg_stat_activity where pid = ${pid}`.execute(db)
        return left.length === 0
      })
      await sql`select 1`.execute(tx)
    })

    await assert.rejects(work)
    assert.equal((await sql`select 1`.execute(db)).rows.length, 1)
  })
})
