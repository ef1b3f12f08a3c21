import { sql } from 'kysely'
import { type Db, isUniqueViolation } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import { listRows } from '../../platform/search/list-rows.ts'
import type { ContentTables } from '../tables.ts'
import type { ViewRow } from '../view-tables.ts'
import { viewSearch } from './view-search.ts'

type ContentDb = Db<ContentTables>

export async function findView(db: ContentDb, id: number): Promise<ViewRow | undefined> {
  return db.selectFrom('content_views').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Keeps a view from being deleted (`share`), also from being changed (`update`), until the transaction ends. */
export async function lockView(tx: ContentDb, id: number, mode: 'share' | 'update'): Promise<ViewRow | undefined> {
  const query = tx.selectFrom('content_views').selectAll().where('id', '=', id)
  return (mode === 'share' ? query.forShare() : query.forUpdate()).executeTakeFirst()
}

export interface ViewFilter {
  readonly organizationId?: number | undefined
  readonly memberId?: number | undefined
  /** Only views that this environment shows. */
  readonly environmentId?: number | undefined
  readonly isDefault?: boolean | undefined
  readonly isComposite?: boolean | undefined
  readonly withoutIds?: readonly number[] | undefined
  readonly name?: string | undefined
  readonly label?: string | undefined
}

export async function listViews(db: ContentDb, filter: ViewFilter, request: ListRequest): Promise<Listed<ViewRow>> {
  const { organizationId, memberId, environmentId, isDefault, isComposite, withoutIds = [], name, label } = filter
  let query = db.selectFrom('content_views as w').selectAll('w')
  if (organizationId !== undefined) query = query.where('w.organization_id', '=', organizationId)
  if (isDefault !== undefined) query = query.where('w.is_default', '=', isDefault)
  if (isComposite !== undefined) query = query.where('w.is_composite', '=', isComposite)
  if (name !== undefined) query = query.where('w.name', '=', name)
  if (label !== undefined) query = query.where('w.label', '=', label)
  if (withoutIds.length > 0) query = query.where(sql<boolean>`w.id <> all(${withoutIds as number[]}::bigint[])`)
  if (environmentId !== undefined) {
    query = query.where('w.id', 'in', (sub) =>
      sub.selectFrom('content_view_environments').select('view_id').where('environment_id', '=', environmentId),
    )
  }
  if (memberId !== undefined) {
    query = query.where('w.organization_id', 'in', (sub) =>
      sub.selectFrom('organization_members').select('organization_id').where('user_id', '=', memberId),
    )
  }
  return listRows(query, viewSearch, request)
}

/** What may be changed of a view besides what it is published from. */
export type ViewAttributes = Pick<ViewRow, 'name' | 'description' | 'auto_publish' | 'solve_dependencies'>

export type NewView = ViewAttributes & Pick<ViewRow, 'organization_id' | 'label' | 'is_composite' | 'import_only'>

export async function insertView(tx: ContentDb, view: NewView): Promise<number> {
  try {
    return (await tx.insertInto('content_views').values(view).returning('id').executeTakeFirstOrThrow()).id
  } catch (error) {
    throw refusal(error, view)
  }
}

export async function updateView(tx: ContentDb, id: number, attributes: Partial<ViewAttributes>): Promise<void> {
  try {
    await tx
      .updateTable('content_views')
      .set({ ...attributes, updated_at: sql`now()` })
      .where('id', '=', id)
      .execute()
  } catch (error) {
    throw refusal(error, { name: attributes.name ?? '', label: '' })
  }
}

function refusal(error: unknown, view: { readonly name: string; readonly label: string }): unknown {
  const field = (['name', 'label'] as const).find((name) => isUniqueViolation(error, `content_views_${name}_key`))
  if (field === undefined) return error
  const words = `the ${field} "${view[field]}" is taken in this organization`
  return new AppError('invalid', `Validation failed: ${words}`, {
    cause: error,
    fields: { [field]: ['has already been taken'] },
  })
}
