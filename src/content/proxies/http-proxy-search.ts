import { sql } from 'kysely'
import type { Searchable } from '../../platform/search/search-fields.ts'

const column = (name: string) => sql.ref(`http_proxies.${name}`)

/** Fields of the table `http_proxies`. */
export const httpProxySearch: Searchable = {
  fields: [
    { names: ['name'], type: 'string', expression: column('name') },
    { names: ['url'], type: 'string', expression: column('url') },
    { names: ['username'], type: 'string', expression: column('username'), isExplicitOnly: true },
    { names: ['id'], type: 'integer', expression: column('id'), isExplicitOnly: true },
    { names: ['created_at'], type: 'date', expression: column('created_at'), isExplicitOnly: true },
    { names: ['updated_at'], type: 'date', expression: column('updated_at'), isExplicitOnly: true },
  ],
  order: { by: 'name', direction: 'asc' },
  id: column('id'),
}
