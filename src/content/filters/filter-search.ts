import { sql } from 'kysely'
import type { Searchable } from '../../platform/search/search-fields.ts'

const column = (name: string) => sql.ref(`f.${name}`)

/** Fields of the filters of one view; the table is called f. */
export const filterSearch: Searchable = {
  fields: [
    { names: ['name'], type: 'string', expression: column('name') },
    { names: ['type', 'content_type'], type: 'string', expression: column('type'), isExplicitOnly: true },
    { names: ['inclusion', 'inclusion_type'], type: 'boolean', expression: column('is_inclusion') },
    { names: ['description'], type: 'string', expression: column('description'), isExplicitOnly: true },
    { names: ['id'], type: 'integer', expression: column('id'), isExplicitOnly: true },
  ],
  order: { by: 'name', direction: 'asc' },
  id: column('id'),
}
