import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import { listRequest } from '../search/list-request.ts'
import type { Actor, GlobalRight } from './actor.ts'
import type { AuthTables, UserRow } from './tables.ts'
import { UserService } from './user-service.ts'

let database: TestDatabase
let users: UserService
let root: UserRow
let ann: UserRow
let admin: Actor
let self: Actor
beforeEach(async () => {
  database = await createTestDatabase()
  users = new UserService(database.database.tables<AuthTables>())
  const system: Actor = { userId: undefined, login: 'system', rights: new Set(['admin']) }
  root = await users.createUser(system, { login: 'root', password: 'password of root', rights: ['admin'] })
  ann = await users.createUser(system, { login: 'ann', password: 'password of ann', rights: [] })
  admin = actorOf(root)
  self = actorOf(ann)
})
afterEach(() => database[Symbol.asyncDispose]())

function actorOf({ id, login, rights }: UserRow): Actor {
  return { userId: id, login, rights: new Set(rights as GlobalRight[]) }
}

const notFound = { code: 'not_found' }
const forbidden = { code: 'forbidden' }

describe('a user', () => {
  it('sees and changes only themselves', async () => {
    const { row } = await users.createToken(admin, { userId: root.id, name: 'of root', expiresAt: null })

    assert.equal((await users.getUser(self, ann.id)).login, 'ann')
    await assert.rejects(users.getUser(self, root.id), notFound)
    await assert.rejects(users.updateUser(self, root.id, { password: 'mine now, thanks' }), notFound)
    await assert.rejects(users.listTokens(self, root.id), notFound)
    await assert.rejects(users.createToken(self, { userId: root.id, name: 'x', expiresAt: null }), notFound)
    await assert.rejects(users.deleteToken(self, root.id, row.id), notFound)
    await assert.rejects(users.deleteToken(self, ann.id, row.id), notFound)
    await assert.rejects(users.deleteUser(self, root.id), notFound)
    assert.equal((await users.listTokens(admin, root.id)).length, 1)
  })

  it('may neither list, make nor delete users', async () => {
    await assert.rejects(users.listUsers(self, listRequest({}, 0)), forbidden)
    await assert.rejects(users.createUser(self, { login: 'bob', password: 'password of bob', rights: [] }), forbidden)
    await assert.rejects(users.deleteUser(self, ann.id), forbidden)
  })

  for (const update of [{ rights: ['admin'] }, { rights: [] }, { isDisabled: false }, { login: 'anna' }] as const) {
    it(`may not change themselves by ${JSON.stringify(update)}`, async () => {
      await assert.rejects(users.updateUser(self, ann.id, update), forbidden)

      assert.deepEqual(await users.getUser(admin, ann.id), ann)
    })
  }

  for (const currentPassword of [undefined, '', 'password of root']) {
    it(`does not change their password with ${JSON.stringify(currentPassword)} as the current one`, async () => {
      const update = { password: 'a new password', ...(currentPassword === undefined ? {} : { currentPassword }) }

      await assert.rejects(users.updateUser(self, ann.id, update), {
        code: 'invalid',
        fields: { current_password: ['is not right'] },
      })

      assert.equal((await users.getUser(admin, ann.id)).password_hash, ann.password_hash)
    })
  }

  it('changes their password with the current one', async () => {
    const update = { password: 'a new password', currentPassword: 'password of ann' }

    const changed = await users.updateUser(self, ann.id, update)

    assert.notEqual(changed.password_hash, ann.password_hash)
    await assert.rejects(users.updateUser(self, ann.id, update), { code: 'invalid' })
  })

  it('has tokens of their own, each name once', async () => {
    const { row, token } = await users.createToken(self, { userId: ann.id, name: 'laptop', expiresAt: null })

    assert.match(token, /^bh_[\w-]{43}$/)
    await assert.rejects(users.createToken(self, { userId: ann.id, name: 'laptop', expiresAt: null }), {
      code: 'conflict',
    })
    await users.createToken(admin, { userId: root.id, name: 'laptop', expiresAt: null })
    await users.deleteToken(self, ann.id, row.id)
    await assert.rejects(users.deleteToken(self, ann.id, row.id), notFound)
  })
})

describe('an administrator', () => {
  it('changes what a user is, and sets a password without knowing the old one', async () => {
    const changed = await users.updateUser(admin, ann.id, {
      login: 'Anna',
      password: 'another password',
      rights: ['labs.host'],
      isDisabled: true,
    })

    assert.deepEqual(
      { login: changed.login, rights: changed.rights, is_disabled: changed.is_disabled },
      { login: 'Anna', rights: ['labs.host'], is_disabled: true },
    )
    assert.notEqual(changed.password_hash, ann.password_hash)
  })

  it('cannot give a login that is taken, whatever its case', async () => {
    const taken = { code: 'conflict', fields: { login: ['has already been taken'] } }

    await assert.rejects(users.createUser(admin, { login: 'ANN', password: 'password of ANN', rights: [] }), taken)
    await assert.rejects(users.updateUser(admin, ann.id, { login: 'Root' }), taken)
    assert.equal((await users.updateUser(admin, ann.id, { login: 'ANN' })).login, 'ANN')
  })

  it('does not find a user who was deleted', async () => {
    await users.deleteUser(admin, ann.id)

    await assert.rejects(users.getUser(admin, ann.id), notFound)
    await assert.rejects(users.updateUser(admin, ann.id, { password: 'another password' }), notFound)
    await assert.rejects(users.createToken(admin, { userId: ann.id, name: 'x', expiresAt: null }), notFound)
  })

  it('changes a user who is just being deleted, or does not find them', async () => {
    const changes = Array.from({ length: 5 }, (_, i) => users.updateUser(admin, ann.id, { login: `ann${i}` }))
    const tokens = Array.from({ length: 5 }, (_, i) =>
      users.createToken(admin, { userId: ann.id, name: `${i}`, expiresAt: null }),
    )

    const results = await Promise.allSettled([...changes, users.deleteUser(admin, ann.id), ...tokens])

    const codes = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason.code)
    assert.deepEqual(
      codes.filter((code) => code !== 'not_found'),
      [],
    )
  })
})

describe('the last administrator', () => {
  const kept = { code: 'conflict', message: /nobody could administer any more/ }

  for (const [what, update] of [
    ['lose the right', { rights: ['labs.host'] }],
    ['be disabled', { isDisabled: true }],
  ] as const) {
    it(`cannot ${what}`, async () => {
      await assert.rejects(users.updateUser(admin, root.id, update), kept)

      assert.deepEqual(await users.getUser(admin, root.id), root)
    })
  }

  it('cannot be deleted', async () => {
    await assert.rejects(users.deleteUser(admin, root.id), kept)

    assert.deepEqual(await users.getUser(admin, root.id), root)
  })

  it('is not a disabled one', async () => {
    await users.updateUser(admin, ann.id, { rights: ['admin'], isDisabled: true })

    await assert.rejects(users.deleteUser(admin, root.id), kept)
  })

  it('may go when there is another one', async () => {
    await users.updateUser(admin, ann.id, { rights: ['admin'] })

    await users.deleteUser(admin, root.id)

    await assert.rejects(users.deleteUser(actorOf({ ...ann, rights: ['admin'] }), ann.id), kept)
  })

  it('stays when all administrators go at the same moment', async () => {
    const others = await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        users.createUser(admin, { login: `root${i}`, password: 'password of root', rights: ['admin'] }),
      ),
    )

    const results = await Promise.allSettled(
      [root, ...others].map(({ id }, i) => {
        if (i % 3 === 0) return users.deleteUser(admin, id)
        return users.updateUser(admin, id, i % 3 === 1 ? { rights: [] } : { isDisabled: true })
      }),
    )

    assert.equal(results.filter(({ status }) => status === 'rejected').length, 1)
    const left = (await users.listUsers(admin, listRequest({ full_result: true }, 0))).rows.filter(
      ({ rights, is_disabled }) => rights.includes('admin') && !is_disabled,
    )
    assert.equal(left.length, 1)
  })
})
