import { sql } from 'kysely'
import type { Searchable } from '../../platform/search/search-fields.ts'

const column = (name: string) => sql.ref(`w.${name}`)

/** Fields of the table `content_views`, called w. */
export const viewSearch: Searchable = {
  fields: [
    { names: ['name'], type: 'string', expression: column('name') },
    { names: ['label'], type: 'string', expression: column('label') },
    { names: ['description'], type: 'string', expression: column('description') },
    { names: ['id'], type: 'integer', expression: column('id'), isExplicitOnly: true },
    { names: ['organization_id'], type: 'integer', expression: column('organization_id'), isExplicitOnly: true },
    { names: ['composite'], type: 'boolean', expression: column('is_composite') },
    { names: ['default'], type: 'boolean', expression: column('is_default') },
    { names: ['created_at'], type: 'date', expression: column('created_at'), isExplicitOnly: true },
    { names: ['updated_at'], type: 'date', expression: column('updated_at'), isExplicitOnly: true },
  ],
  order: { by: 'name', direction: 'asc' },
  id: column('id'),
}
