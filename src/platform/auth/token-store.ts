import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type Db, isForeignKeyViolation, isUniqueViolation } from '../db/database.ts'
import { AppError, notFound } from '../errors.ts'
import type { AuthTables, PersonalTokenRow, UserRow } from './tables.ts'

type AuthDb = Db<AuthTables>

const prefix = 'bh_'

/** True for text that has the form of a personal token, so that it need not be tried as a password. */
export function isToken(text: string): boolean {
  return /^bh_[\w-]{43}$/.test(text)
}

/** A new secret of 256 random bits; it is shown once, and stored as its SHA-256 only. */
export function createToken(): string {
  return prefix + randomBytes(32).toString('base64url')
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

export interface NewToken {
  readonly userId: number
  readonly name: string
  readonly token: string
  readonly expiresAt: Date | null
}

export async function insertToken(db: AuthDb, { userId, name, token, expiresAt }: NewToken): Promise<PersonalTokenRow> {
  const row = { user_id: userId, name, token_hash: hashToken(token), expires_at: expiresAt }
  try {
    return await db.insertInto('personal_tokens').values(row).returningAll().executeTakeFirstOrThrow()
  } catch (error) {
    if (isForeignKeyViolation(error)) throw notFound('user', userId)
    if (!isUniqueViolation(error, 'personal_tokens_name_key')) throw error
    throw new AppError('conflict', `Cannot create token "${name}": the name is taken`, {
      cause: error,
      fields: { name: ['has already been taken'] },
    })
  }
}

export async function listTokens(db: AuthDb, userId: number): Promise<PersonalTokenRow[]> {
  return db.selectFrom('personal_tokens').selectAll().where('user_id', '=', userId).orderBy('id').execute()
}

/** Gives false when the user has no such token. */
export async function deleteToken(db: AuthDb, userId: number, id: number): Promise<boolean> {
  const result = await db
    .deleteFrom('personal_tokens')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return result.numDeletedRows > 0n
}

/** The user whom an unexpired token belongs to; the use is noted at most once a minute. */
export async function findUserByToken(db: AuthDb, token: string, now: Date): Promise<UserRow | undefined> {
  const hash = hashToken(token)
  const row = await db
    .selectFrom('personal_tokens as t')
    .innerJoin('users as u', 'u.id', 't.user_id')
    .selectAll('u')
    .select(['t.id as token_id', 't.last_used_at'])
    .where('t.token_hash', '=', hash)
    .where((eb) => eb.or([eb('t.expires_at', 'is', null), eb('t.expires_at', '>', now)]))
    .executeTakeFirst()
  if (row === undefined) return undefined
  if (row.last_used_at === null || now.getTime() - row.last_used_at.getTime() > 60_000)
    await noteUse(db, row.token_id, now)
  return row
}

async function noteUse(db: AuthDb, id: number, now: Date): Promise<void> {
  await db
    .updateTable('personal_tokens')
    .set({ last_used_at: sql`${now}` })
    .where('id', '=', id)
    .execute()
}
