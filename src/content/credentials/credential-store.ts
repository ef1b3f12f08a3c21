import { sql } from 'kysely'
import { type Db, isForeignKeyViolation, isUniqueViolation } from '../../platform/db/database.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import { listRows } from '../../platform/search/list-rows.ts'
import type { ContentTables, CredentialKind, CredentialRow } from '../tables.ts'
import { credentialSearch } from './credential-search.ts'

type ContentDb = Db<ContentTables>

export interface CredentialAttributes {
  readonly name: string
  readonly content_type: CredentialKind
  readonly content_sealed: string
}

export async function insertCredential(
  db: ContentDb,
  credential: CredentialAttributes & { readonly organization_id: number },
): Promise<CredentialRow> {
  const query = db.insertInto('content_credentials').values(credential).returningAll()
  try {
    return await refusingTaken(credential.name, () => query.executeTakeFirstOrThrow())
  } catch (error) {
    // it was deleted since somebody looked
    if (isForeignKeyViolation(error)) throw notFound('organization', credential.organization_id)
    throw error
  }
}

/** Undefined when it is gone. */
export async function updateCredential(
  db: ContentDb,
  id: number,
  attributes: CredentialAttributes,
): Promise<CredentialRow | undefined> {
  const query = db
    .updateTable('content_credentials')
    .set({ ...attributes, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
  return refusingTaken(attributes.name, () => query.executeTakeFirst())
}

async function refusingTaken<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!isUniqueViolation(error, 'content_credentials_name_key')) throw error
    throw new AppError('invalid', `Validation failed: the name "${name}" is taken in this organization`, {
      cause: error,
      fields: { name: ['has already been taken'] },
    })
  }
}

/** `forUpdate` locks it until the end of the transaction. */
export async function findCredential(
  db: ContentDb,
  id: number,
  lock?: 'forUpdate',
): Promise<CredentialRow | undefined> {
  const query = db.selectFrom('content_credentials').selectAll().where('id', '=', id)
  return (lock === undefined ? query : query.forUpdate()).executeTakeFirst()
}

export async function deleteCredential(db: ContentDb, id: number): Promise<void> {
  await db.deleteFrom('content_credentials').where('id', '=', id).execute()
}

export interface CredentialFilter {
  readonly organizationId: number
  readonly name?: string | undefined
  readonly contentType?: CredentialKind | undefined
}

export async function listCredentials(
  db: ContentDb,
  { organizationId, name, contentType }: CredentialFilter,
  request: ListRequest,
): Promise<Listed<CredentialRow>> {
  let query = db.selectFrom('content_credentials').where('organization_id', '=', organizationId)
  if (name !== undefined) query = query.where('name', '=', name)
  if (contentType !== undefined) query = query.where('content_type', '=', contentType)
  return listRows(query.selectAll(), credentialSearch, request)
}

/** The kinds of those of these credentials that are the organization's. They stay as they are until the transaction ends. */
export async function lockCredentials(
  tx: ContentDb,
  organizationId: number,
  ids: readonly number[],
): Promise<Map<number, CredentialKind>> {
  if (ids.length === 0) return new Map()
  const rows = await tx
    .selectFrom('content_credentials')
    .select(['id', 'content_type'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forShare()
    .execute()
  return new Map(rows.map(({ id, content_type }) => [id, content_type]))
}

/** These credentials by their ids; those that are null or gone are left out. */
export async function findCredentials(
  db: ContentDb,
  ids: readonly (number | null)[],
): Promise<Map<number, CredentialRow>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))]
  if (wanted.length === 0) return new Map()
  const rows = await db.selectFrom('content_credentials').selectAll().where('id', 'in', wanted).execute()
  return new Map(rows.map((row) => [row.id, row]))
}
