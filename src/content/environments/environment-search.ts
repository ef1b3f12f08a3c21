import { sql } from 'kysely'
import type { Searchable } from '../../platform/search/search-fields.ts'

const column = (name: string) => sql.ref(`e.${name}`)

/** Fields of the table `environments`, called e, with the one before each called prior. */
export const environmentSearch: Searchable = {
  fields: [
    { names: ['name'], type: 'string', expression: column('name') },
    { names: ['label'], type: 'string', expression: column('label') },
    { names: ['description'], type: 'string', expression: column('description') },
    { names: ['id'], type: 'integer', expression: column('id'), isExplicitOnly: true },
    { names: ['organization_id'], type: 'integer', expression: column('organization_id'), isExplicitOnly: true },
    { names: ['prior'], type: 'string', expression: sql.ref('prior.name'), isExplicitOnly: true },
    { names: ['prior_id'], type: 'integer', expression: column('prior_id'), isExplicitOnly: true },
    { names: ['library'], type: 'boolean', expression: column('is_library') },
    { names: ['created_at'], type: 'date', expression: column('created_at'), isExplicitOnly: true },
    { names: ['updated_at'], type: 'date', expression: column('updated_at'), isExplicitOnly: true },
  ],
  order: { by: 'name', direction: 'asc' },
  id: column('id'),
}
