import { Type } from 'typebox'
import { type Page, PageQuery, type PageRequest, pageOf } from '../http/paging.ts'
import type { Sort } from './search-order.ts'

/** What every list takes that can be searched. */
export const SearchQuery = {
  ...PageQuery,
  search: Type.Optional(Type.String({ description: 'Such as: name ~ zoo and not label = "My Zoo"' })),
  order: Type.Optional(Type.String({ description: 'A search field and ASC or DESC; goes before sort_by' })),
  sort_by: Type.Optional(Type.String({ description: 'A search field' })),
  sort_order: Type.Optional(Type.String({ description: 'ASC or DESC' })),
}

export interface SearchRequest extends PageRequest {
  readonly search?: string
  readonly order?: string
  readonly sort_by?: string
  readonly sort_order?: string
}

/** Which part of a list is wanted. */
export interface ListRequest {
  readonly page: Page
  readonly search: string | null
  readonly sort: Sort
  /** What "yesterday" is counted from. */
  readonly now: number
  /** How many rows there are, where that is known before anybody counts. */
  readonly knownTotal?: number | undefined
}

/** A page of what was found. */
export interface Listed<Row> {
  readonly rows: readonly Row[]
  /** How many there are. */
  readonly total: number
  /** How many of them the search finds. */
  readonly subtotal: number
}

export function listRequest(query: SearchRequest, now: number): ListRequest {
  return { page: pageOf(query), search: query.search ?? null, sort: sortOf(query), now }
}

function sortOf({ order = '', sort_by, sort_order }: SearchRequest): Sort {
  const [by, direction] = order.trim().split(/\s+/)
  if (by !== undefined && by !== '') return { by, order: direction ?? 'asc' }
  const hasBy = sort_by !== undefined && sort_by !== ''
  if (!hasBy && sort_order === undefined) return { by: null, order: null }
  return { by: hasBy ? sort_by : null, order: sort_order ?? 'asc' }
}
