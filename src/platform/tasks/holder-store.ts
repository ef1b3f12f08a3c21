import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../db/database.ts'
import type { TaskTables } from './tables.ts'
import { taskChannel } from './task-store.ts'

const holderLockClass = 7_206_413

/** Makes this session the proof that its process lives: the lock on the id it gives is gone when the session is. */
export async function becomeHolder(session: pg.Client, process: string): Promise<number> {
  // a machine that vanishes without a word must not keep its lock for the hours that the system would wait
  await session.query('set tcp_keepalives_idle = 2')
  await session.query('set tcp_keepalives_interval = 1')
  await session.query('set tcp_keepalives_count = 2')
  // the row must not be seen before the lock is held, or it would be taken for an orphan's
  await session.query('begin')
  const { rows } = await session.query<{ id: number }>('insert into task_holders (process) values ($1) returning id', [
    process,
  ])
  const id = Number(rows[0]?.id)
  await session.query('select pg_advisory_lock($1, $2)', [holderLockClass, lockKey(id)])
  await session.query('commit')
  return id
}

/**
 * Puts the tasks of holders whose session is gone back in their old place in the queue.
 *
 * @returns how many tasks were put back
 */
export async function reclaimOrphans(db: Db<TaskTables>): Promise<number> {
  // a claim that was on its way when its holder's row went away names a holder without one
  const { rows } = await sql<{ id: number }>`
    select id from task_holders union select holder from tasks where state = 'running' order by id`.execute(db)
  let count = 0
  for (const { id } of rows) count += await reclaimFrom(db, id)
  return count
}

async function reclaimFrom(db: Db<TaskTables>, holder: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ is_free: boolean }>`
      select pg_try_advisory_xact_lock(${holderLockClass}, ${lockKey(holder)}) as is_free`.execute(tx)
    if (rows[0]?.is_free !== true) return 0
    const orphans = await sql<{ id: string }>`
      update tasks set state = 'planned', holder = null
      where id in (select id from tasks where holder = ${holder} and state = 'running' order by seq for update)
      returning id`.execute(tx)
    await tx.deleteFrom('task_holders').where('id', '=', holder).execute()
    if (orphans.rows.length > 0) await sql`select pg_notify(${taskChannel}, '{}')`.execute(tx)
    return orphans.rows.length
  })
}

/** Advisory locks with a class have 32-bit keys; ids wrap around long after their predecessors are gone. */
function lockKey(id: number): number {
  return id % 2_147_483_647
}
