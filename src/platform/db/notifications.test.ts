import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import { waitUntil } from '../../../test/support/wait-until.ts'
import { createLogger } from '../log.ts'
import { Notifications } from './notifications.ts'

let database: TestDatabase
let notifications: Notifications
let opened: AsyncDisposableStack
beforeEach(async () => {
  opened = new AsyncDisposableStack()
  database = opened.use(await createTestDatabase())
  notifications = opened.use(new Notifications(database.database, createLogger('silent')))
  await notifications.start()
})
afterEach(() => opened.disposeAsync())

async function announce(channel: string, payload: string): Promise<void> {
  await database.database.pool.query('select pg_notify($1, $2)', [channel, payload])
}

async function loseConnections(): Promise<number> {
  const { rowCount } = await database.database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and query like 'listen%'`,
  )
  return rowCount ?? 0
}

async function countListening(): Promise<number> {
  const { rowCount } = await database.database.pool.query(
    `select from pg_stat_activity where datname = current_database() and query like 'listen%'`,
  )
  return rowCount ?? 0
}

describe('notifications', () => {
  it('reach every listener of their channel in order, and no other', async () => {
    const heard: string[] = []
    await notifications.subscribe('one', (payload) => heard.push(`a ${payload}`))
    await notifications.subscribe('one', (payload) => heard.push(`b ${payload}`))
    await notifications.subscribe('odd "name"', (payload) => heard.push(`c ${payload}`))

    await announce('one', '1')
    await announce('two', '2')
    await announce('odd "name"', '3')
    await waitUntil('the last is heard', () => heard.includes('c 3'))

    assert.deepEqual(heard, ['a 1', 'b 1', 'c 3'])
  })

  it('end with the subscription', async () => {
    const heard: string[] = []
    const unsubscribe = await notifications.subscribe('one', (payload) => heard.push(`a ${payload}`))
    await notifications.subscribe('one', (payload) => heard.push(`b ${payload}`))

    unsubscribe()
    await announce('one', '1')
    await waitUntil('the other hears', () => heard.length > 0)

    assert.deepEqual(heard, ['b 1'])
  })

  it('come again, after an empty one, when the connection was lost', async () => {
    const heard: string[] = []
    await notifications.subscribe('one', (payload) => heard.push(payload))
    assert.equal(await loseConnections(), 1)
    await waitUntil('the empty one is heard', () => heard.includes(''))

    await announce('one', 'after')
    await waitUntil('the next one is heard', () => heard.includes('after'))

    assert.deepEqual(heard, ['', 'after'])
  })

  it('come once, on one connection, when the connection is lost again and again while it is made', async () => {
    const heard: string[] = []
    for (let i = 0; i < 40; i += 1) await notifications.subscribe(`channel ${i}`, (payload) => heard.push(payload))
    for (let i = 0; i < 5; i += 1) {
      await waitUntil('it listens', async () => (await loseConnections()) > 0)
    }
    await waitUntil('all have heard of the loss', () => heard.length >= 40)

    let attempt = 0
    await waitUntil('they are heard', async () => {
      attempt += 1
      await announce('channel 7', `attempt ${attempt}`)
      await database.database.pool.query('select 1')
      return heard.includes(`attempt ${attempt}`)
    })

    assert.equal(await countListening(), 1)
    assert.equal(heard.filter((payload) => payload === `attempt ${attempt}`).length, 1)
  })
})
