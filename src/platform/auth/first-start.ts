import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import { writeOnce } from '../data-folder/write-once.ts'
import { AppError } from '../errors.ts'
import { hashPassword } from './passwords.ts'
import { SecretBox } from './secret-box.ts'
import type { AuthTables } from './tables.ts'

export interface FirstStart {
  readonly db: Kysely<AuthTables>
  /** From the configuration, if it has one. */
  readonly adminPassword: string | undefined
  /** Where a random one is written. */
  readonly passwordFile: string
}

/**
 * Makes the user `admin` when there are no users.
 *
 * @returns the path of the file with the random password, if one was made now
 */
export async function ensureAdministrator({
  db,
  adminPassword,
  passwordFile,
}: FirstStart): Promise<string | undefined> {
  return db.transaction().execute(async (tx) => {
    await tx.selectFrom('settings').select('name').where('name', '=', proofName).forUpdate().execute()
    const user = await tx.selectFrom('users').select('id').limit(1).executeTakeFirst()
    if (user !== undefined) return undefined
    const password = adminPassword ?? (await newPasswordFile(passwordFile))
    await tx
      .insertInto('users')
      .values({ login: 'admin', password_hash: await hashPassword(password), rights: ['admin'] })
      .execute()
    return adminPassword === undefined ? passwordFile : undefined
  })
}

/** A file that is there belongs to a start that was cut off, or to another database: it must not be believed. */
async function newPasswordFile(path: string): Promise<string> {
  await rm(path, { force: true })
  return (await writeOnce(path, `${randomBytes(18).toString('base64url')}\n`)).trim()
}

const proofName = 'secret-key-proof'
const proofPurpose = `settings.${proofName}`

export interface SecretKeySource {
  readonly db: Kysely<AuthTables>
  readonly secretKey: string | undefined
  readonly keyFile: string
}

/**
 * Opens the box for stored secrets with the configured key, or with one that is made at the first start.
 *
 * @throws AppError `conflict` when the database's secrets were sealed with another key
 */
export async function openSecretBox({ db, secretKey, keyFile }: SecretKeySource): Promise<SecretBox> {
  const key = secretKey ?? (await writeOnce(keyFile, `${randomBytes(32).toString('base64url')}\n`)).trim()
  const box = new SecretBox(key)
  const proof = { name: proofName, value: box.seal(proofName, proofPurpose) }
  await db
    .insertInto('settings')
    .values(proof)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { value } = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', proofName)
    .executeTakeFirstOrThrow()
  try {
    box.open(value, proofPurpose)
  } catch (error) {
    const source = secretKey === undefined ? keyFile : 'BACKHAUL_SECRET_KEY'
    throw new AppError(
      'conflict',
      `Cannot use the database: its secrets were sealed with another key than that of ${source}`,
      {
        cause: error,
      },
    )
  }
  return box
}
