import { sql } from 'kysely'
import type { Searchable } from '../../platform/search/search-fields.ts'

/** What a rule says, as text; the table is called r. */
export const ruleWord = (name: string) => sql<string | null>`(r.attributes ->> ${sql.lit(name)})`

const id = sql.ref('r.id')

/** Fields of the rules of one filter; the table is called r. */
export const filterRuleSearch: Searchable = {
  fields: [
    { names: ['name'], type: 'string', expression: ruleWord('name') },
    { names: ['errata_id'], type: 'string', expression: ruleWord('errata_id'), isExplicitOnly: true },
    { names: ['id'], type: 'integer', expression: id, isExplicitOnly: true },
  ],
  order: { by: 'id', direction: 'asc' },
  id,
}
