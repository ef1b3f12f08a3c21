import { type RawBuilder, sql } from 'kysely'
import type { Searchable, SearchField } from '../../platform/search/search-fields.ts'
import { trueOrFalse } from '../search-choices.ts'
import { factExpression, repositoryFacts } from './repository-facts.ts'

/** What no type of repository provides is nothing for every row. */
const nothing = sql`null::text`

function text(name: string, expression: RawBuilder<unknown>): SearchField {
  return { names: [name], type: 'string', expression }
}

function explicit(
  names: SearchField['names'],
  type: 'string' | 'integer' | 'date',
  expression: RawBuilder<unknown>,
): SearchField {
  return { names, type, expression, isExplicitOnly: true }
}

/** The views that hold a repository of Library or one that is a copy of it; the default view holds them all. */
const viewsOf = sql`from content_views view where view.organization_id = p.organization_id and (view.is_default or exists (
  select 1 from content_view_repositories chosen
  where chosen.view_id = view.id and chosen.repository_id = coalesce(r.library_instance_id, r.id)))`

/** The fields of Katello's repositories, and a few more. */
export const repositorySearch: Searchable = {
  fields: [
    text('name', sql.ref('root.name')),
    { names: ['product', 'product_name'], type: 'string', expression: sql.ref('p.name') },
    { names: ['product_id'], type: 'integer', expression: sql.ref('p.id') },
    text('content_type', sql.ref('root.content_type')),
    text('container_repository_name', nothing),
    text('content_label', sql`replace(o.label || '_' || p.label || '_' || root.label, ' ', '_')`),
    ...repositoryFacts.map((fact) => ({
      names: [fact.name] as const,
      type: fact.type,
      expression: factExpression(fact),
    })),
    // all products are made by people
    { names: ['vendor', 'redhat'], type: 'choice', choices: trueOrFalse, expression: sql`false::boolean` },
    explicit(['description'], 'string', sql.ref('root.description')),
    explicit(['label'], 'string', sql.ref('root.label')),
    explicit(['download_policy'], 'string', sql.ref('root.download_policy')),
    {
      names: ['content_view_id'],
      type: 'integer',
      expression: sql.ref('view.id'),
      isExplicitOnly: true,
      some: (isWanted) => sql`exists (select 1 ${viewsOf} and ${isWanted})`,
    },
    explicit(['id'], 'integer', sql.ref('r.id')),
    explicit(['url'], 'string', sql.ref('root.url')),
    explicit(['created_at'], 'date', sql.ref('root.created_at')),
    explicit(['updated_at'], 'date', sql.ref('root.updated_at')),
  ],
  order: { by: 'name', direction: 'asc' },
  id: sql.ref('r.id'),
}
