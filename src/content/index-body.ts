import type { IndexFacts } from '../platform/http/paging.ts'

/** How Katello's own lists are ordered when nobody says. */
const usualSort = { by: 'name', order: 'asc' } as const

/** The wrapper of Katello's own lists: organizations, products, repositories, units. */
export function indexBody(
  results: readonly object[],
  { total, subtotal = total, page, search = null, sort }: IndexFacts,
): object {
  return {
    total,
    subtotal,
    selectable: total,
    page: page.number,
    per_page: page.limit === undefined ? total : page.size,
    error: null,
    search,
    sort: { by: sort?.by ?? usualSort.by, order: sort?.order ?? usualSort.order },
    results,
  }
}
