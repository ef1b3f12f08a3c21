import { sql } from 'kysely'
import type { Searchable } from '../../platform/search/search-fields.ts'
import { trueOrFalse } from '../search-choices.ts'

/** Fields of the table `products`. */
export const productSearch: Searchable = {
  fields: [
    { names: ['name'], type: 'string', expression: sql.ref('products.name') },
    { names: ['label'], type: 'string', expression: sql.ref('products.label') },
    { names: ['description'], type: 'string', expression: sql.ref('products.description') },
    { names: ['id'], type: 'integer', expression: sql.ref('products.id'), isExplicitOnly: true },
    {
      names: ['organization_id'],
      type: 'integer',
      expression: sql.ref('products.organization_id'),
      isExplicitOnly: true,
    },
    // all products are made by people
    { names: ['vendor', 'redhat'], type: 'choice', choices: trueOrFalse, expression: sql`false::boolean` },
    { names: ['created_at'], type: 'date', expression: sql.ref('products.created_at'), isExplicitOnly: true },
    { names: ['updated_at'], type: 'date', expression: sql.ref('products.updated_at'), isExplicitOnly: true },
  ],
  order: { by: 'name', direction: 'asc' },
  id: sql.ref('products.id'),
}
