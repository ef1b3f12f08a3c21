import { sql } from 'kysely'
import { type Db, isForeignKeyViolation, isUniqueViolation } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import { listRows } from '../../platform/search/list-rows.ts'
import type { ContentTables } from '../tables.ts'
import type { EnvironmentRow } from '../view-tables.ts'
import { environmentSearch } from './environment-search.ts'

type ContentDb = Db<ContentTables>

/** An environment with its organization and the one that it follows. */
export interface EnvironmentRecord extends EnvironmentRow {
  readonly organization_name: string
  readonly organization_label: string
  readonly prior_name: string | null
}

function selectEnvironments(db: ContentDb) {
  return db
    .selectFrom('environments as e')
    .innerJoin('organizations as o', 'o.id', 'e.organization_id')
    .leftJoin('environments as prior', 'prior.id', 'e.prior_id')
    .selectAll('e')
    .select(['o.name as organization_name', 'o.label as organization_label', 'prior.name as prior_name'])
}

export async function findEnvironment(db: ContentDb, id: number): Promise<EnvironmentRecord | undefined> {
  return selectEnvironments(db).where('e.id', '=', id).executeTakeFirst()
}

export interface EnvironmentFilter {
  readonly organizationId?: number | undefined
  readonly memberId?: number | undefined
  readonly isLibrary?: boolean | undefined
  readonly name?: string | undefined
  readonly label?: string | undefined
}

function filtered(db: ContentDb, { organizationId, memberId, isLibrary, name, label }: EnvironmentFilter) {
  let query = selectEnvironments(db)
  if (organizationId !== undefined) query = query.where('e.organization_id', '=', organizationId)
  if (isLibrary !== undefined) query = query.where('e.is_library', '=', isLibrary)
  if (name !== undefined) query = query.where('e.name', '=', name)
  if (label !== undefined) query = query.where('e.label', '=', label)
  if (memberId === undefined) return query
  return query.where('e.organization_id', 'in', (sub) =>
    sub.selectFrom('organization_members').select('organization_id').where('user_id', '=', memberId),
  )
}

export async function listEnvironments(
  db: ContentDb,
  filter: EnvironmentFilter,
  request: ListRequest,
): Promise<Listed<EnvironmentRecord>> {
  return listRows(filtered(db, filter), environmentSearch, request)
}

/** All of them, the oldest first; no environment is older than the one that it follows. */
export async function listAllEnvironments(db: ContentDb, filter: EnvironmentFilter): Promise<EnvironmentRecord[]> {
  return filtered(db, filter).orderBy('e.id').execute()
}

/** The environments that follow these, the oldest first. */
export async function listSuccessors(
  db: ContentDb,
  ids: readonly number[],
): Promise<{ readonly id: number; readonly name: string; readonly prior_id: number | null }[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('environments')
    .select(['id', 'name', 'prior_id'])
    .where('prior_id', 'in', ids)
    .orderBy('id')
    .execute()
}

/** What an environment shows. */
export interface EnvironmentCounts {
  readonly views: number
  readonly products: number
  /** How many repositories there are of each type of content. */
  readonly repositories: Readonly<Record<string, number>>
}

export async function countContents(db: ContentDb, ids: readonly number[]): Promise<Map<number, EnvironmentCounts>> {
  const { rows } = await sql<EnvironmentCounts & { readonly id: number }>`
    select e.id,
      (select count(*) from content_view_environments place where place.environment_id = e.id) as views,
      (select count(distinct root.product_id) from repositories r join root_repositories root on root.id = r.root_id
       where r.environment_id = e.id) as products,
      (select coalesce(jsonb_object_agg(content_type, number), '{}') from (
         select root.content_type, count(*) as number
         from repositories r join root_repositories root on root.id = r.root_id
         where r.environment_id = e.id group by 1) as typed) as repositories
    from environments e where e.id = any(${ids as number[]}::bigint[])`.execute(db)
  return new Map(rows.map(({ id, ...counts }) => [id, counts]))
}

/** The names of the content views that an environment shows, besides the default one. */
export async function listViewNames(db: ContentDb, id: number): Promise<string[]> {
  const rows = await db
    .selectFrom('content_view_environments as place')
    .innerJoin('content_views as w', 'w.id', 'place.view_id')
    .select('w.name')
    .where('place.environment_id', '=', id)
    .orderBy('w.name')
    .execute()
  return rows.map(({ name }) => name)
}

/**
 * Keeps an environment from being deleted until the transaction ends (`share`), also from being changed, followed or given
 * content views (`update`). Undefined when it is gone.
 */
export async function lockEnvironment(
  tx: ContentDb,
  id: number,
  mode: 'share' | 'update',
): Promise<EnvironmentRow | undefined> {
  const query = tx.selectFrom('environments').selectAll().where('id', '=', id)
  return (mode === 'share' ? query.forKeyShare() : query.forUpdate()).executeTakeFirst()
}

export async function findEnvironmentByName(
  db: ContentDb,
  organizationId: number,
  name: string,
): Promise<EnvironmentRow | undefined> {
  return db
    .selectFrom('environments')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('name', '=', name)
    .executeTakeFirst()
}

export type NewEnvironment = Pick<EnvironmentRow, 'organization_id' | 'name' | 'label' | 'description' | 'prior_id'>

export async function insertEnvironment(tx: ContentDb, environment: NewEnvironment): Promise<number> {
  try {
    const query = tx.insertInto('environments').values(environment).returning('id')
    return (await query.executeTakeFirstOrThrow()).id
  } catch (error) {
    throw refusal(error, environment)
  }
}

export async function updateEnvironment(
  tx: ContentDb,
  id: number,
  attributes: Pick<EnvironmentRow, 'name' | 'description'>,
): Promise<void> {
  try {
    await tx
      .updateTable('environments')
      .set({ ...attributes, updated_at: sql`now()` })
      .where('id', '=', id)
      .execute()
  } catch (error) {
    throw refusal(error, { ...attributes, label: '' })
  }
}

/** Deletes one that is locked, that no other follows and that shows no content view. */
export async function deleteEnvironment(tx: ContentDb, id: number): Promise<void> {
  try {
    await tx.deleteFrom('environments').where('id', '=', id).execute()
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    throw new AppError('conflict', 'Cannot delete the environment: it still has repositories', { cause: error })
  }
}

function refusal(error: unknown, environment: { readonly name: string; readonly label: string }): unknown {
  const field = (['name', 'label'] as const).find((name) =>
    isUniqueViolation(error, `environments_organization_id_${name}_key`),
  )
  if (field === undefined) return error
  const words = `the ${field} "${environment[field]}" is taken in this organization`
  return new AppError('invalid', `Validation failed: ${words}`, {
    cause: error,
    fields: { [field]: ['has already been taken'] },
  })
}
