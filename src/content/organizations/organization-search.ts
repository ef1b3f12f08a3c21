import { sql } from 'kysely'
import type { Searchable } from '../../platform/search/search-fields.ts'

/** Fields of the table `organizations`. */
export const organizationSearch: Searchable = {
  fields: [
    { names: ['name'], type: 'string', expression: sql.ref('organizations.name') },
    // the path of names from the topmost organization; they are not nested here
    { names: ['title'], type: 'string', expression: sql.ref('organizations.name') },
    { names: ['label'], type: 'string', expression: sql.ref('organizations.label') },
    { names: ['description'], type: 'string', expression: sql.ref('organizations.description') },
    { names: ['id'], type: 'integer', expression: sql.ref('organizations.id'), isExplicitOnly: true },
    { names: ['created_at'], type: 'date', expression: sql.ref('organizations.created_at'), isExplicitOnly: true },
    { names: ['updated_at'], type: 'date', expression: sql.ref('organizations.updated_at'), isExplicitOnly: true },
  ],
  order: { by: 'name', direction: 'asc' },
  id: sql.ref('organizations.id'),
}
