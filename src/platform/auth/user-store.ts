import { sql } from 'kysely'
import { type Db, isUniqueViolation } from '../db/database.ts'
import { AppError, notFound } from '../errors.ts'
import type { Listed, ListRequest } from '../search/list-request.ts'
import { listRows } from '../search/list-rows.ts'
import type { AuthTables, NewUserRow, UserRow } from './tables.ts'
import { userSearch } from './user-search.ts'

type AuthDb = Db<AuthTables>

export interface UserChanges {
  readonly login?: string
  readonly password_hash?: string
  readonly rights?: string[]
  readonly is_disabled?: boolean
}

export async function insertUser(db: AuthDb, user: NewUserRow): Promise<UserRow> {
  return refuseTakenLogin(user.login, () =>
    db.insertInto('users').values(user).returningAll().executeTakeFirstOrThrow(),
  )
}

/** @throws AppError `not_found` when the user was deleted meanwhile */
export async function updateUser(db: AuthDb, id: number, changes: UserChanges): Promise<UserRow> {
  return refuseTakenLogin(changes.login, () =>
    db
      .updateTable('users')
      .set({ ...changes, updated_at: sql`now()` })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(() => notFound('user', id)),
  )
}

async function refuseTakenLogin(login: string | undefined, write: () => Promise<UserRow>): Promise<UserRow> {
  try {
    return await write()
  } catch (error) {
    if (!isUniqueViolation(error, 'users_login_key')) throw error
    throw new AppError('conflict', `Cannot save user "${login}": the login is taken`, {
      cause: error,
      fields: { login: ['has already been taken'] },
    })
  }
}

export async function deleteUser(db: AuthDb, id: number): Promise<void> {
  await db.deleteFrom('users').where('id', '=', id).execute()
}

export async function findUser(db: AuthDb, id: number): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function findUserByLogin(db: AuthDb, login: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where(sameLogin(login)).executeTakeFirst()
}

/** Folded as the unique index folds, whatever the database's own collation is. */
function sameLogin(login: string) {
  return sql<boolean>`lower(login) = lower(${login}::text collate "C")`
}

export async function listUsers(db: AuthDb, request: ListRequest): Promise<Listed<UserRow>> {
  return listRows(db.selectFrom('users').selectAll(), userSearch, request)
}

/** The ids of those who can administer, locked until the transaction ends so that the last one cannot slip away. */
export async function lockAdministrators(db: AuthDb): Promise<number[]> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where(sql<boolean>`'admin' = any(rights) and not is_disabled`)
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.map(({ id }) => id)
}
