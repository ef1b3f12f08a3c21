import { Type } from 'typebox'
import { SearchQuery } from '../platform/search/list-request.ts'

/** Names as people give them: no blanks at the ends, which nobody sees. */
export const Name = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^\\S(.*\\S)?$',
  description: 'No blanks at the ends',
})

export const Label = Type.String({ minLength: 1, maxLength: 128, description: 'Made from the name when left out' })

export const Description = Type.String({ maxLength: 10_000 })

/** What every list of the content API takes. */
export const ListQuery = {
  ...SearchQuery,
  name: Type.Optional(Type.String()),
  label: Type.Optional(Type.String()),
}
