import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import type { SearchField } from '../../platform/search/search-fields.ts'

const Completions = Type.Array(
  Type.Union([
    Type.Object({ completed: Type.String(), part: Type.String(), label: Type.String(), category: Type.String() }),
    Type.Object({ error: Type.String() }),
  ]),
)

/** The address that helps to write searches of a list, and knows all that can stand in them. */
export function completionEndpoint(list: string, fields: readonly SearchField[], path = list) {
  return endpoint({
    method: 'GET',
    action: `${list}.auto_complete_search`,
    path: `/content/api/${path}/auto_complete_search`,
    status: 200,
    summary: `Complete the beginning of a search for ${list.replaceAll('_', ' ')}`,
    tag: 'Searches',
    query: Type.Object({ search: Type.Optional(Type.String({ maxLength: 10_000 })) }),
    reply: Completions,
    searchFields: fields.map(({ names: [name], type, choices }) =>
      choices === undefined ? { name, type } : { name, values: [...choices.keys()] },
    ),
  })
}
