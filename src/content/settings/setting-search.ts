import { sql } from 'kysely'
import type { Searchable } from '../../platform/search/search-fields.ts'

export const settingSearch: Searchable = {
  fields: [
    { names: ['name', 'id'], type: 'string', expression: sql.ref('settings.name') },
    { names: ['value'], type: 'string', expression: sql.ref('settings.value'), isExplicitOnly: true },
  ],
  order: { by: 'name', direction: 'asc' },
  id: sql.ref('settings.name'),
}
