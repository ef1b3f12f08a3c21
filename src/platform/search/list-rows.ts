import { type SelectQueryBuilder, sql } from 'kysely'
import type { Listed, ListRequest } from './list-request.ts'
import { parseSearch } from './parse-search.ts'
import { searchCondition } from './search-condition.ts'
import type { Searchable } from './search-fields.ts'
import { searchOrder } from './search-order.ts'
import type { SearchTree } from './search-tree.ts'

/**
 * Gives the wanted page of what `scope` selects.
 *
 * @throws AppError `unsearchable` when the search or the order means nothing
 */
export async function listRows<Tables, From extends keyof Tables, Row>(
  scope: SelectQueryBuilder<Tables, From, Row>,
  searchable: Searchable,
  { page, search, sort, now, knownTotal }: ListRequest,
): Promise<Listed<Row>> {
  const inOrder = (rows: typeof scope) => {
    const ordered = rows.orderBy(searchOrder(searchable, sort)).offset(page.offset)
    return page.limit === undefined ? ordered : ordered.limit(page.limit)
  }
  const tree = parseSearch(search ?? '')
  if (isEverything(tree)) {
    const [rows, total] = await Promise.all([inOrder(scope).execute(), knownTotal ?? count(scope)])
    return { rows: rows as Row[], total, subtotal: total }
  }
  const found = scope.where(searchCondition(tree, { fields: searchable.fields, now }))
  // whether a row is found is asked once, unless the page is behind the last one
  const query = inOrder(found).select(sql<number>`count(*) over ()`.as('subtotal'))
  const [counted, total] = await Promise.all([
    query.$castTo<Row & { readonly subtotal: number }>().execute(),
    knownTotal ?? count(scope),
  ])
  const subtotal = counted[0]?.subtotal ?? (page.offset === 0 ? 0 : await count(found))
  return { rows: counted.map(({ subtotal: _, ...row }) => row as Row), total, subtotal }
}

function isEverything(tree: SearchTree): boolean {
  return tree.type === 'and' && tree.parts.length === 0
}

async function count<Tables, From extends keyof Tables, Row>(
  rows: SelectQueryBuilder<Tables, From, Row>,
): Promise<number> {
  const counted = rows.clearSelect().select(sql<number>`count(*)`.as('count'))
  return ((await counted.executeTakeFirstOrThrow()) as { count: number }).count
}
