import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import { LoginThrottle } from './login-throttle.ts'
import type { AuthTables } from './tables.ts'

const start = Date.UTC(2024, 0, 1)
const minute = 60_000

let database: TestDatabase
let now: number
let throttle: LoginThrottle
beforeEach(async () => {
  database = await createTestDatabase()
  now = start
  throttle = new LoginThrottle(database.database.tables<AuthTables>(), () => now)
})
afterEach(() => database[Symbol.asyncDispose]())

async function fail(times: number, attempt: { login?: string; address?: string } = {}): Promise<void> {
  for (let i = 0; i < times; i += 1) await throttle.noteFailure({ login: 'ann', address: '10.0.0.1', ...attempt })
}

async function isRefused(attempt: { login?: string; address?: string } = {}): Promise<boolean> {
  try {
    await throttle.refuseTooMany({ login: 'ann', address: '10.0.0.1', ...attempt })
    return false
  } catch (error) {
    assert.equal((error as { code?: string }).code, 'throttled')
    return true
  }
}

describe('the login throttle', () => {
  it('refuses a login after ten failures, from every address', async () => {
    await fail(9)
    const afterNine = await isRefused()
    await fail(1, { address: '10.0.0.2' })

    assert.equal(afterNine, false)
    assert.equal(await isRefused(), true)
    assert.equal(await isRefused({ address: '10.9.9.9' }), true)
    assert.equal(await isRefused({ login: 'ANN' }), true)
    assert.equal(await isRefused({ login: 'bob' }), false)
  })

  it('refuses an address after thirty failures, for every login', async () => {
    for (let i = 0; i < 29; i += 1) await fail(1, { login: `guess ${i}` })
    const afterTwentyNine = await isRefused({ login: 'bob' })
    await fail(1, { login: 'guess 29' })

    assert.equal(afterTwentyNine, false)
    assert.equal(await isRefused({ login: 'bob' }), true)
    assert.equal(await isRefused({ login: 'bob', address: '10.0.0.2' }), false)
  })

  it('lets in again when five minutes have passed since the last failure', async () => {
    await fail(10)
    now = start + 5 * minute - 1
    const justBefore = await isRefused()
    now = start + 5 * minute

    assert.equal(justBefore, true)
    assert.equal(await isRefused(), false)
  })

  it('counts anew after that, and on from there before it', async () => {
    await fail(9)
    now = start + 4 * minute
    await fail(1)
    const within = await isRefused()
    now = start + 10 * minute
    await fail(9)

    assert.equal(within, true)
    assert.equal(await isRefused(), false)
  })

  it('forgets the failures of a login that got in, not those of the address', async () => {
    await fail(9)
    await throttle.noteSuccess({ login: 'Ann', address: '10.0.0.1' })
    await fail(9)
    const ofLogin = await isRefused()
    await fail(12, { login: 'bob' })

    assert.equal(ofLogin, false)
    assert.equal(await isRefused({ login: 'carol' }), true)
  })

  it('is shared by all processes', async () => {
    const other = new LoginThrottle(database.database.tables<AuthTables>(), () => now)
    await fail(10)

    await assert.rejects(other.refuseTooMany({ login: 'ann', address: '10.0.0.9' }), { code: 'throttled' })
  })

  it('counts failures that come at the same moment, and keeps no old ones', async () => {
    await fail(1, { login: 'old', address: 'old' })
    now = start + 6 * minute

    await Promise.all(Array.from({ length: 10 }, () => fail(1)))
    const { rows } = await database.database.pool.query('select subject, failures from login_failures order by subject')

    assert.deepEqual(rows, [
      { subject: 'address:10.0.0.1', failures: 10 },
      { subject: 'login:ann', failures: 10 },
    ])
  })

  it('takes logins of any length and characters', async () => {
    for (const login of ['x'.repeat(10_000), `${'x'.repeat(199)}😀`, "'; drop table users"]) {
      await fail(10, { login, address: login.slice(0, 5) })
      assert.equal(await isRefused({ login }), true)
    }
  })
})
