import { sql } from 'kysely'
import { type Db, isUniqueViolation } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import { listRows } from '../../platform/search/list-rows.ts'
import type { ContentTables, OrganizationRole, OrganizationRow } from '../tables.ts'
import { insertLibraryPlace } from '../views/default-view-store.ts'
import { organizationSearch } from './organization-search.ts'

type ContentDb = Db<ContentTables>

export async function findOrganization(db: ContentDb, id: number): Promise<OrganizationRow | undefined> {
  return db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst()
}

export interface NewOrganization {
  readonly name: string
  readonly label: string
  readonly description: string | null
}

/** Adds an organization with its environment Library and its default content view. */
export async function insertOrganization(tx: ContentDb, organization: NewOrganization): Promise<number> {
  const query = tx.insertInto('organizations').values(organization).returning('id')
  const { id } = await refusingTaken(organization, () => query.executeTakeFirstOrThrow())
  await insertLibraryPlace(tx, id)
  return id
}

/** Changes only what is given. False when it is gone. */
export async function updateOrganization(
  db: ContentDb,
  id: number,
  { name, description }: { readonly name?: string; readonly description?: string | null },
): Promise<boolean> {
  const query = db
    .updateTable('organizations')
    .set({
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      updated_at: sql`now()`,
    })
    .where('id', '=', id)
  const result = await refusingTaken({ name: name ?? '', label: '' }, () => query.executeTakeFirst())
  return result.numUpdatedRows > 0n
}

/**
 * Locks an organization until the transaction ends: `share` keeps it from being deleted, `update` also keeps new products
 * out. False when it is gone. Who also locks what belongs to it does so afterwards.
 */
export async function lockOrganization(tx: ContentDb, id: number, mode: 'share' | 'update'): Promise<boolean> {
  const query = tx.selectFrom('organizations').select('id').where('id', '=', id)
  const row = await (mode === 'share' ? query.forKeyShare() : query.forUpdate()).executeTakeFirst()
  return row !== undefined
}

/** Deletes an organization that has no products, with its credentials, environments and members. */
export async function deleteOrganization(tx: ContentDb, id: number): Promise<void> {
  await tx.deleteFrom('organizations').where('id', '=', id).execute()
}

async function refusingTaken<T>(
  organization: { readonly name: string; readonly label: string },
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const field = (['name', 'label'] as const).find((name) => isUniqueViolation(error, `organizations_${name}_key`))
    if (field === undefined) throw error
    throw new AppError('invalid', `Validation failed: the ${field} "${organization[field]}" is taken`, {
      cause: error,
      fields: { [field]: ['has already been taken'] },
    })
  }
}

export interface OrganizationFilter {
  /** Only organizations that this user is a member of. */
  readonly memberId?: number | undefined
  readonly name?: string | undefined
  readonly label?: string | undefined
}

export async function listOrganizations(
  db: ContentDb,
  { memberId, name, label }: OrganizationFilter,
  request: ListRequest,
): Promise<Listed<OrganizationRow>> {
  let query = db.selectFrom('organizations')
  if (name !== undefined) query = query.where('name', '=', name)
  if (label !== undefined) query = query.where('label', '=', label)
  if (memberId !== undefined) {
    query = query.where('id', 'in', (sub) =>
      sub.selectFrom('organization_members').select('organization_id').where('user_id', '=', memberId),
    )
  }
  return listRows(query.selectAll(), organizationSearch, request)
}

export async function findRole(
  db: ContentDb,
  organizationId: number,
  userId: number,
): Promise<OrganizationRole | undefined> {
  const row = await db
    .selectFrom('organization_members')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.role
}

export interface Member {
  readonly organization_id: number
  readonly user_id: number
  readonly role: OrganizationRole
}

export async function listMembers(db: ContentDb, organizationId: number): Promise<Member[]> {
  return db
    .selectFrom('organization_members')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('user_id')
    .execute()
}

export async function saveMember(db: ContentDb, member: Member): Promise<void> {
  await db
    .insertInto('organization_members')
    .values(member)
    .onConflict((conflict) => conflict.columns(['organization_id', 'user_id']).doUpdateSet({ role: member.role }))
    .execute()
}

export async function deleteMember(db: ContentDb, organizationId: number, userId: number): Promise<boolean> {
  const result = await db
    .deleteFrom('organization_members')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return result.numDeletedRows > 0n
}

/** The organizations that somebody is a member of, with what they are there. */
export async function listMemberships(db: ContentDb, userId: number): Promise<Member[]> {
  return db.selectFrom('organization_members').selectAll().where('user_id', '=', userId).execute()
}
