import { AppError } from '../platform/errors.ts'
import { type Listed, type ListRequest, listRequest, type SearchRequest } from '../platform/search/list-request.ts'
import type { Searchable } from '../platform/search/search-fields.ts'
import { indexBody } from './index-body.ts'

export interface ListAnswering {
  readonly now: number
  /** How the list is ordered when nobody says; most are by name. */
  readonly order?: Searchable['order']
}

/**
 * Gives the answer of a list as Katello does: a search or an order that means nothing is told inside the answer, which is
 * then an empty list.
 */
export async function answerList(
  query: SearchRequest,
  { now, order }: ListAnswering,
  list: (request: ListRequest) => Promise<Listed<object>>,
): Promise<object> {
  const request = listRequest(query, now)
  try {
    const { rows, ...counts } = await list(request)
    return indexBody(rows, { ...counts, ...request }, order)
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'unsearchable')) throw error
    const nothing = indexBody([], { total: 0, ...request }, order)
    return { ...nothing, page: null, per_page: null, error: error.message }
  }
}
