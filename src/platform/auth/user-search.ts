import { sql } from 'kysely'
import type { Searchable } from '../search/search-fields.ts'

/** Fields of the table `users`. */
export const userSearch: Searchable = {
  fields: [
    { names: ['login'], type: 'string', expression: sql.ref('users.login') },
    { names: ['admin'], type: 'boolean', expression: sql`('admin' = any(users.rights))` },
    { names: ['disabled'], type: 'boolean', expression: sql.ref('users.is_disabled') },
    { names: ['id'], type: 'integer', expression: sql.ref('users.id'), isExplicitOnly: true },
    { names: ['created_at'], type: 'date', expression: sql.ref('users.created_at'), isExplicitOnly: true },
    { names: ['updated_at'], type: 'date', expression: sql.ref('users.updated_at'), isExplicitOnly: true },
  ],
  order: { by: 'login', direction: 'asc' },
  id: sql.ref('users.id'),
}
