import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import type { Actor } from './actor.ts'
import { Authenticator } from './authenticator.ts'
import type { AuthTables, UserRow } from './tables.ts'
import { UserService } from './user-service.ts'

const admin: Actor = { userId: undefined, login: 'admin', rights: new Set(['admin']) }
const start = Date.UTC(2024, 0, 1)

let database: TestDatabase
let now: number
let users: UserService
let authenticator: Authenticator
let ann: UserRow
beforeEach(async () => {
  database = await createTestDatabase()
  now = start
  const db = database.database.tables<AuthTables>()
  users = new UserService(db)
  authenticator = new Authenticator(db, () => now)
  await users.createUser(admin, { login: 'root', password: 'password of root', rights: ['admin'] })
  ann = await users.createUser(admin, { login: 'Ann', password: 'password:of ann', rights: ['labs.host'] })
})
afterEach(() => database[Symbol.asyncDispose]())

function basic(login: string, secret: string): string {
  return `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`
}

function authenticate(authorization: string | undefined, address = '10.0.0.1'): Promise<Actor> {
  return authenticator.authenticate(authorization, address)
}

async function token(expiresAt: Date | null = null, userId = ann.id): Promise<string> {
  return (await users.createToken(admin, { userId, name: `token ${Math.random()}`, expiresAt })).token
}

const refused = { code: 'unauthenticated', message: /^Unable to authenticate/ }

describe('a password', () => {
  it('says who asks and what they may do, whatever the case of the login', async () => {
    const actors = [
      await authenticate(basic('Ann', 'password:of ann')),
      await authenticate(basic('ann', 'password:of ann')),
    ]

    for (const actor of actors)
      assert.deepEqual(actor, { userId: ann.id, login: 'Ann', rights: new Set(['labs.host']) })
  })

  it('works for logins beyond ASCII', async () => {
    await users.createUser(admin, { login: 'Änne-İ', password: 'password of änne', rights: [] })

    assert.equal((await authenticate(basic('Änne-İ', 'password of änne'))).login, 'Änne-İ')
  })

  for (const [what, authorization] of [
    ['nothing', undefined],
    ['an empty header', ''],
    ['a wrong password', basic('ann', 'password of bob')],
    ['an empty password', basic('ann', '')],
    ['an unknown login', basic('bob', 'password:of ann')],
    ['the password of somebody else', basic('ann', 'password of root')],
    ['no login', basic('', 'password:of ann')],
    ['NUL in the login', basic('ann\0', 'password:of ann')],
    ['no colon', `Basic ${Buffer.from('ann').toString('base64')}`],
    ['no base64', 'Basic !!!!'],
    ['an unknown scheme', 'Digest username="ann"'],
    ['only a scheme', 'Basic'],
    ['a password as a token', 'Bearer password:of'],
  ] as const) {
    it(`is refused: ${what}`, async () => {
      await assert.rejects(authenticate(authorization), refused)
    })
  }

  it('no longer works, from the next request on, when it was changed', async () => {
    await authenticate(basic('ann', 'password:of ann'))

    await users.updateUser(admin, ann.id, { password: 'another password' })

    await assert.rejects(authenticate(basic('ann', 'password:of ann')), refused)
    assert.equal((await authenticate(basic('ann', 'another password'))).userId, ann.id)
  })

  it('no longer works, from the next request on, when its user was disabled or deleted', async () => {
    await authenticate(basic('ann', 'password:of ann'))
    await users.updateUser(admin, ann.id, { isDisabled: true })
    await assert.rejects(authenticate(basic('ann', 'password:of ann')), refused)
    await users.updateUser(admin, ann.id, { isDisabled: false })
    await authenticate(basic('ann', 'password:of ann'))

    await users.deleteUser(admin, ann.id)

    await assert.rejects(authenticate(basic('ann', 'password:of ann')), refused)
  })

  it('gives the rights that its user has now', async () => {
    await authenticate(basic('ann', 'password:of ann'))

    await users.updateUser(admin, ann.id, { rights: [] })

    assert.deepEqual((await authenticate(basic('ann', 'password:of ann'))).rights, new Set())
  })

  it('is not looked at after too many wrong ones, unless it was proven before', async () => {
    const another = new Authenticator(database.database.tables<AuthTables>(), () => now)
    await authenticate(basic('ann', 'password:of ann'))
    for (let i = 0; i < 10; i += 1) await assert.rejects(authenticate(basic('ann', `guess ${i}`)), refused)

    await assert.rejects(authenticate(basic('ann', 'guess 10')), { code: 'throttled' })
    await assert.rejects(another.authenticate(basic('ann', 'password:of ann'), '10.0.0.2'), { code: 'throttled' })
    assert.equal((await authenticate(basic('ann', 'password:of ann'))).userId, ann.id)
    now = start + 5 * 60_000
    assert.equal((await another.authenticate(basic('ann', 'password:of ann'), '10.0.0.2')).userId, ann.id)
  })
})

describe('a personal token', () => {
  it('works as a password and as a bearer', async () => {
    const secret = await token()

    assert.equal((await authenticate(basic('ann', secret))).userId, ann.id)
    assert.equal((await authenticate(`Bearer ${secret}`)).userId, ann.id)
    assert.equal((await authenticate(`bearer   ${secret} `)).userId, ann.id)
  })

  it('works with no other login than its own', async () => {
    await assert.rejects(authenticate(basic('root', await token())), refused)
  })

  it('works until it expires', async () => {
    const secret = await token(new Date(start + 1000))
    now = start + 999
    assert.equal((await authenticate(`Bearer ${secret}`)).userId, ann.id)

    now = start + 1000

    await assert.rejects(authenticate(`Bearer ${secret}`), refused)
  })

  it('works until it is revoked', async () => {
    const { row, token: secret } = await users.createToken(admin, { userId: ann.id, name: 'short', expiresAt: null })
    await authenticate(`Bearer ${secret}`)

    await users.deleteToken(admin, ann.id, row.id)

    await assert.rejects(authenticate(`Bearer ${secret}`), refused)
  })

  it('does not work for a disabled user', async () => {
    const secret = await token()

    await users.updateUser(admin, ann.id, { isDisabled: true })

    await assert.rejects(authenticate(`Bearer ${secret}`), refused)
  })

  it('is refused when nobody has it, and does not count as a wrong password', async () => {
    const strange = `bh_${'x'.repeat(43)}`

    for (let i = 0; i < 40; i += 1) await assert.rejects(authenticate(basic('ann', strange)), refused)

    assert.equal((await authenticate(basic('ann', 'password:of ann'))).userId, ann.id)
  })

  it('remembers when it was used last, to the minute', async () => {
    const secret = await token()
    const lastUse = async () => (await users.listTokens(admin, ann.id))[0]?.last_used_at?.getTime()
    const uses: (number | undefined)[] = [await lastUse()]

    for (const time of [start, start + 30_000, start + 61_000]) {
      now = time
      await authenticate(`Bearer ${secret}`)
      uses.push(await lastUse())
    }

    assert.deepEqual(uses, [undefined, start, start, start + 61_000])
  })

  it('is stored as a digest only', async () => {
    const secret = await token()

    const { rows } = await database.database.pool.query('select t::text as row from personal_tokens t')

    assert.equal(rows.length, 1)
    assert.ok(!rows[0].row.includes(secret.slice(3)))
  })
})
