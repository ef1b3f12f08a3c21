import type { Page } from '../platform/http/paging.ts'

/** The wrapper of Katello's own lists: organizations, products, repositories, units. */
export function indexBody(results: readonly object[], { total, page }: { total: number; page: Page }): object {
  return {
    total,
    subtotal: total,
    selectable: total,
    page: page.number,
    per_page: page.limit === undefined ? total : page.size,
    error: null,
    search: null,
    sort: { by: 'name', order: 'asc' },
    results,
  }
}
