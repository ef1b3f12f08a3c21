import type { Kysely } from 'kysely'
import { AppError, invalidField, notFound } from '../errors.ts'
import type { Listed, ListRequest } from '../search/list-request.ts'
import { type Actor, type GlobalRight, hasRight, requireRight } from './actor.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import type { AuthTables, PersonalTokenRow, UserRow } from './tables.ts'
import { createToken, deleteToken, insertToken, listTokens } from './token-store.ts'
import {
  deleteUser,
  findUser,
  insertUser,
  listUsers,
  lockAdministrators,
  type UserChanges,
  updateUser,
} from './user-store.ts'

export interface NewUser {
  readonly login: string
  readonly password: string
  readonly rights: readonly GlobalRight[]
}

export interface UserUpdate {
  readonly login?: string
  readonly password?: string
  /** Needed from those who change their own password. */
  readonly currentPassword?: string
  readonly rights?: readonly GlobalRight[]
  readonly isDisabled?: boolean
}

/** Users and their personal tokens. Administrators handle everyone, others themselves; strangers are not found. */
export class UserService {
  readonly #db: Kysely<AuthTables>

  constructor(db: Kysely<AuthTables>) {
    this.#db = db
  }

  async listUsers(actor: Actor, request: ListRequest): Promise<Listed<UserRow>> {
    requireRight(actor, 'admin')
    return listUsers(this.#db, request)
  }

  async getUser(actor: Actor, id: number): Promise<UserRow> {
    const isVisible = actor.userId === id || hasRight(actor, 'admin')
    const user = isVisible ? await findUser(this.#db, id) : undefined
    if (user === undefined) throw notFound('user', id)
    return user
  }

  async createUser(actor: Actor, { login, password, rights }: NewUser): Promise<UserRow> {
    requireRight(actor, 'admin')
    return insertUser(this.#db, { login, password_hash: await hashPassword(password), rights: [...rights] })
  }

  async updateUser(actor: Actor, id: number, update: UserUpdate): Promise<UserRow> {
    const user = await this.getUser(actor, id)
    await checkUpdate(actor, user, update)
    const changes = await changesOf(update)
    return this.#keepingAnAdministrator(id, async (db) => {
      return Object.keys(changes).length === 0 ? user : updateUser(db, id, changes)
    })
  }

  async deleteUser(actor: Actor, id: number): Promise<void> {
    const user = await this.getUser(actor, id)
    requireRight(actor, 'admin')
    await this.#keepingAnAdministrator(user.id, (db) => deleteUser(db, user.id))
  }

  async listTokens(actor: Actor, userId: number): Promise<PersonalTokenRow[]> {
    await this.getUser(actor, userId)
    return listTokens(this.#db, userId)
  }

  /** Gives the new token's row and its secret, which is stored nowhere and cannot be shown again. */
  async createToken(
    actor: Actor,
    { userId, name, expiresAt }: { userId: number; name: string; expiresAt: Date | null },
  ): Promise<{ row: PersonalTokenRow; token: string }> {
    await this.getUser(actor, userId)
    const token = createToken()
    return { row: await insertToken(this.#db, { userId, name, token, expiresAt }), token }
  }

  async deleteToken(actor: Actor, userId: number, id: number): Promise<void> {
    await this.getUser(actor, userId)
    if (!(await deleteToken(this.#db, userId, id))) throw notFound('token', id)
  }

  async #keepingAnAdministrator<T>(id: number, write: (db: Kysely<AuthTables>) => Promise<T>): Promise<T> {
    return this.#db.transaction().execute(async (tx) => {
      await lockAdministrators(tx)
      const result = await write(tx)
      if ((await lockAdministrators(tx)).length > 0) return result
      throw new AppError('conflict', `Cannot change user "${id}": nobody could administer any more`)
    })
  }
}

async function checkUpdate(actor: Actor, user: UserRow, update: UserUpdate): Promise<void> {
  if (hasRight(actor, 'admin')) return
  if (update.login !== undefined || update.rights !== undefined || update.isDisabled !== undefined)
    requireRight(actor, 'admin')
  if (update.password === undefined) return
  const isProven = await verifyPassword(user.password_hash, update.currentPassword ?? '')
  if (!isProven) throw invalidField('current_password', 'is not right')
}

async function changesOf({ login, password, rights, isDisabled }: UserUpdate): Promise<UserChanges> {
  return {
    ...(login === undefined ? {} : { login }),
    ...(password === undefined ? {} : { password_hash: await hashPassword(password) }),
    ...(rights === undefined ? {} : { rights: [...rights] }),
    ...(isDisabled === undefined ? {} : { is_disabled: isDisabled }),
  }
}
