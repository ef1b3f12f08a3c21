import { sql } from 'kysely'
import type { Searchable } from '../../platform/search/search-fields.ts'

export const roleSearch: Searchable = {
  fields: [
    { names: ['name'], type: 'string', expression: sql.ref('roles.name') },
    { names: ['description'], type: 'string', expression: sql.ref('roles.description'), isExplicitOnly: true },
    { names: ['id'], type: 'integer', expression: sql.ref('roles.id'), isExplicitOnly: true },
  ],
  order: { by: 'name', direction: 'asc' },
  id: sql.ref('roles.id'),
}
