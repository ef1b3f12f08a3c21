import { type Db, isUniqueViolation } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import { listRows } from '../../platform/search/list-rows.ts'
import type { ContentTables, ProductRow } from '../tables.ts'
import { productSearch } from './product-search.ts'

type ContentDb = Db<ContentTables>

export interface NewProduct {
  readonly organization_id: number
  readonly name: string
  readonly label: string
  readonly description: string | null
}

export async function insertProduct(db: ContentDb, product: NewProduct): Promise<ProductRow> {
  try {
    return await db.insertInto('products').values(product).returningAll().executeTakeFirstOrThrow()
  } catch (error) {
    for (const field of ['name', 'label'] as const) {
      if (isUniqueViolation(error, `products_${field}_key`)) throw taken(field, product[field], error)
    }
    throw error
  }
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
