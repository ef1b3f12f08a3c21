import type { IndexFacts } from '../platform/http/paging.ts'
import type { Searchable } from '../platform/search/search-fields.ts'

/** The wrapper of Katello's own lists: organizations, products, repositories, units. */
export function indexBody(
  results: readonly object[],
  { total, subtotal = total, page, search = null, sort }: IndexFacts,
  usual: Searchable['order'] = { by: 'name', direction: 'asc' },
): object {
  return {
    total,
    subtotal,
    selectable: total,
    page: page.number,
    per_page: page.limit === undefined ? total : page.size,
    error: null,
    search,
    sort: { by: sort?.by ?? usual.by, order: sort?.order ?? usual.direction },
    results,
  }
}
