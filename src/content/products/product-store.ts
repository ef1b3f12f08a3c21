import { sql } from 'kysely'
import { type Db, isUniqueViolation } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import { listRows } from '../../platform/search/list-rows.ts'
import type { TaskRow } from '../../platform/tasks/tables.ts'
import type { CredentialIds } from '../credentials/credential-references.ts'
import type { ContentTables, ProductRow } from '../tables.ts'
import { productSearch } from './product-search.ts'

type ContentDb = Db<ContentTables>

/** What may be changed of a product. */
export interface ProductAttributes extends CredentialIds {
  readonly name: string
  readonly description: string | null
}

export type NewProduct = ProductAttributes & Pick<ProductRow, 'organization_id' | 'label'>

export async function insertProduct(db: ContentDb, product: NewProduct): Promise<ProductRow> {
  try {
    return await db.insertInto('products').values(product).returningAll().executeTakeFirstOrThrow()
  } catch (error) {
    throw refusal(error, product)
  }
}

export async function updateProduct(tx: ContentDb, id: number, attributes: ProductAttributes): Promise<void> {
  try {
    await tx
      .updateTable('products')
      .set({ ...attributes, updated_at: sql`now()` })
      .where('id', '=', id)
      .execute()
  } catch (error) {
    throw refusal(error, { ...attributes, label: '' })
  }
}

/** Deletes a product that has no repositories. */
export async function deleteProduct(tx: ContentDb, id: number): Promise<void> {
  await tx.deleteFrom('products').where('id', '=', id).execute()
}

export async function listProductIds(db: ContentDb, organizationId: number): Promise<number[]> {
  const rows = await db.selectFrom('products').select('id').where('organization_id', '=', organizationId).execute()
  return rows.map(({ id }) => id)
}

function refusal(error: unknown, product: { readonly name: string; readonly label: string }): unknown {
  const field = (['name', 'label'] as const).find((name) => isUniqueViolation(error, `products_${name}_key`))
  return field === undefined ? error : taken(field, product[field], error)
}

function taken(field: string, value: string, cause: unknown): AppError {
  return new AppError('invalid', `Validation failed: the ${field} "${value}" is taken in this organization`, {
    cause,
    fields: { [field]: ['has already been taken'] },
  })
}

export async function findProduct(db: ContentDb, id: number): Promise<ProductRow | undefined> {
  return db.selectFrom('products').selectAll().where('id', '=', id).executeTakeFirst()
}

/** `share` keeps it from being changed or deleted until the transaction ends, `update` also from being locked by others. */
export async function lockProduct(
  tx: ContentDb,
  id: number,
  mode: 'share' | 'update',
): Promise<ProductRow | undefined> {
  const query = tx.selectFrom('products').selectAll().where('id', '=', id)
  return (mode === 'share' ? query.forShare() : query.forUpdate()).executeTakeFirst()
}

export interface ProductFilter {
  readonly organizationId?: number | undefined
  readonly memberId?: number | undefined
  readonly name?: string | undefined
  readonly label?: string | undefined
}

export async function listProducts(
  db: ContentDb,
  { organizationId, memberId, name, label }: ProductFilter,
  request: ListRequest,
): Promise<Listed<ProductRow>> {
  let query = db.selectFrom('products')
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId)
  if (name !== undefined) query = query.where('name', '=', name)
  if (label !== undefined) query = query.where('label', '=', label)
  if (memberId !== undefined) {
    query = query.where('organization_id', 'in', (sub) =>
      sub.selectFrom('organization_members').select('organization_id').where('user_id', '=', memberId),
    )
  }
  return listRows(query.selectAll(), productSearch, request)
}

/** How many repositories each of these products has; products without any are left out. */
export async function countRepositories(db: ContentDb, productIds: readonly number[]): Promise<Map<number, number>> {
  if (productIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('root_repositories')
    .select(['product_id', ({ fn }) => fn.countAll<number>().as('count')])
    .where('product_id', 'in', productIds)
    .groupBy('product_id')
    .execute()
  return new Map(rows.map(({ product_id, count }) => [product_id, count]))
}

/** How many of the last syncs of a product's repositories have one state and result, and what they have in common. */
export type LastSyncs = Pick<TaskRow, 'state' | 'result'> & {
  readonly product_id: number
  readonly count: number
  /** The sum of all. */
  readonly progress: number
  /** Of the latest. */
  readonly started_at: Date | null
  readonly ended_at: Date | null
}

/** The last syncs of the repositories of these products; repositories that were never synced are left out. */
export async function countLastSyncs(db: ContentDb, productIds: readonly number[]): Promise<LastSyncs[]> {
  if (productIds.length === 0) return []
  return db
    .selectFrom('root_repositories as root')
    .innerJoin('repositories as r', 'r.root_id', 'root.id')
    .innerJoin('tasks as t', 't.id', 'r.last_sync_task_id')
    .select(['root.product_id', 't.state', 't.result'])
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.sum<number>('t.progress').as('progress'),
      fn.max('t.started_at').as('started_at'),
      fn.max('t.ended_at').as('ended_at'),
    ])
    .where('root.product_id', 'in', productIds)
    .groupBy(['root.product_id', 't.state', 't.result'])
    .execute()
}
