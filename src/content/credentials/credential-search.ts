import { sql } from 'kysely'
import type { Searchable } from '../../platform/search/search-fields.ts'

const column = (name: string) => sql.ref(`content_credentials.${name}`)

/** Fields of the table `content_credentials`. */
export const credentialSearch: Searchable = {
  fields: [
    { names: ['name'], type: 'string', expression: column('name') },
    { names: ['content_type'], type: 'string', expression: column('content_type') },
    { names: ['id'], type: 'integer', expression: column('id'), isExplicitOnly: true },
    { names: ['organization_id'], type: 'integer', expression: column('organization_id'), isExplicitOnly: true },
    { names: ['created_at'], type: 'date', expression: column('created_at'), isExplicitOnly: true },
    { names: ['updated_at'], type: 'date', expression: column('updated_at'), isExplicitOnly: true },
  ],
  order: { by: 'name', direction: 'asc' },
  id: column('id'),
}
