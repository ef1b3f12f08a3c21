import { type SelectQueryBuilder, sql } from 'kysely'
import type { Listed, ListRequest } from './list-request.ts'
import { parseSearch } from './parse-search.ts'
import { searchCondition } from './search-condition.ts'
import type { Searchable } from './search-fields.ts'
import { searchOrder } from './search-order.ts'

/**
 * Gives the wanted page of what `scope` selects.
 *
 * @throws AppError `unsearchable` when the search or the order means nothing
 */
export async function listRows<Tables, From extends keyof Tables, Row>(
  scope: SelectQueryBuilder<Tables, From, Row>,
  searchable: Searchable,
  { page, search, sort, now }: ListRequest,
): Promise<Listed<Row>> {
  const isFound = searchCondition(parseSearch(search ?? ''), { fields: searchable.fields, now })
  const found = scope.where(isFound).orderBy(searchOrder(searchable, sort)).offset(page.offset)
  const counted = scope
    .clearSelect()
    .select([sql<number>`count(*)`.as('total'), sql<number>`count(*) filter (where ${isFound})`.as('subtotal')])
  const [rows, counts] = await Promise.all([
    (page.limit === undefined ? found : found.limit(page.limit)).execute(),
    counted.executeTakeFirstOrThrow() as Promise<{ total: number; subtotal: number }>,
  ])
  return { rows: rows as Row[], total: counts.total, subtotal: counts.subtotal }
}
