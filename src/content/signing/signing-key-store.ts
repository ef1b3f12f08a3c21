import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ContentTables, SigningAlgorithm, SigningKeyRow } from '../tables.ts'

type ContentDb = Db<ContentTables>

export interface NewSigningKey {
  readonly organization_id: number
  readonly algorithm: SigningAlgorithm
  /** Of 40 hexadecimal digits, in capitals. */
  readonly fingerprint: string
  /** OpenPGP packets. */
  readonly public_key: Buffer
  readonly private_key_sealed: string
}

/** The key that an organization signs with. */
export async function findCurrentKey(db: ContentDb, organizationId: number): Promise<SigningKeyRow | undefined> {
  return db
    .selectFrom('signing_keys')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('retired_at', 'is', null)
    .executeTakeFirst()
}

/** All keys of an organization: the one that signs, then the others, the newest first. */
export async function listSigningKeys(db: ContentDb, organizationId: number): Promise<SigningKeyRow[]> {
  return db
    .selectFrom('signing_keys')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('retired_at', (order) => order.desc().nullsFirst())
    .orderBy('id', 'desc')
    .execute()
}

/** Adds a key to an organization that is locked, unless it has one that signs. */
export async function insertUnlessSigning(tx: ContentDb, key: NewSigningKey): Promise<void> {
  await tx
    .insertInto('signing_keys')
    .values(key)
    .onConflict((conflict) => conflict.column('organization_id').where('retired_at', 'is', null).doNothing())
    .execute()
}

/** Makes a key the one that signs, in an organization that is locked. The former one can never sign again. */
export async function replaceCurrentKey(tx: ContentDb, key: NewSigningKey): Promise<SigningKeyRow> {
  await tx
    .updateTable('signing_keys')
    .set({ retired_at: sql`now()`, private_key_sealed: null })
    .where('organization_id', '=', key.organization_id)
    .where('retired_at', 'is', null)
    .execute()
  return tx.insertInto('signing_keys').values(key).returningAll().executeTakeFirstOrThrow()
}

/** Gives the key as it was; undefined when there is none of that id that no longer signs. */
export async function deleteRetiredKey(
  db: ContentDb,
  organizationId: number,
  id: number,
): Promise<SigningKeyRow | undefined> {
  return db
    .deleteFrom('signing_keys')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('retired_at', 'is not', null)
    .returningAll()
    .executeTakeFirst()
}
