import { Type } from 'typebox'

/** Any size is allowed: Katello's clients ask for four billion rows when they mean all. */
export const PageQuery = {
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Page number, starting at 1' }),
  ),
  per_page: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), Type.Enum(['all'])], {
      description: 'Results per page',
    }),
  ),
  full_result: Type.Optional(Type.Boolean({ description: 'Give all results on one page' })),
}

export interface PageRequest {
  readonly page?: number
  readonly per_page?: number | 'all'
  readonly full_result?: boolean
}

export interface Page {
  readonly number: number
  readonly size: number
  /** Undefined means all that follow. */
  readonly limit: number | undefined
  readonly offset: number
}

const defaultSize = 20

/** PostgreSQL's OFFSET and LIMIT are 64 bit; beyond what a table can hold the page is simply empty. */
const farthest = 2 ** 53 - 1

export function pageOf({ page = 1, per_page = defaultSize, full_result: isFull = false }: PageRequest): Page {
  const size = per_page === 'all' ? defaultSize : per_page
  if (isFull || per_page === 'all') return { number: 1, size, limit: undefined, offset: 0 }
  return { number: page, size, limit: size, offset: Math.min((page - 1) * size, farthest) }
}

/** What the wrappers of lists say besides the rows. */
export interface IndexFacts {
  /** How many there are. */
  readonly total: number
  /** How many of them the search finds; all when left out. */
  readonly subtotal?: number
  readonly page: Page
  readonly search?: string | null
  readonly sort?: { readonly by: string | null; readonly order: string | null }
}

/** The wrapper of Foreman's own lists: users, tasks, proxies. */
export function indexBody(results: readonly object[], facts: IndexFacts): object {
  const { total, subtotal = total, page, search = null, sort = { by: null, order: null } } = facts
  return {
    total,
    subtotal,
    page: page.number,
    per_page: page.limit === undefined ? total : page.size,
    search,
    sort,
    results,
  }
}
