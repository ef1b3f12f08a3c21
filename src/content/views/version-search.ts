import { sql } from 'kysely'
import type { Searchable } from '../../platform/search/search-fields.ts'

const column = (name: string) => sql.ref(`n.${name}`)

const number = sql`(n.major || '.' || n.minor)`

/** As two numbers: 1.10 comes after 1.9. What is none comes before all. */
function rankOf(version: string) {
  const [, major = '-1', minor = '0'] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(version) ?? []
  return sql`array[${major}::integer, ${minor}::integer]`
}

/** Fields of versions, called n, and of their content views, called w. */
export const versionSearch: Searchable = {
  fields: [
    { names: ['name'], type: 'string', expression: sql`(w.name || ' ' || ${number})`, isExplicitOnly: true },
    {
      names: ['version'],
      type: 'string',
      expression: number,
      rank: { expression: sql`array[n.major, n.minor]`, of: rankOf },
    },
    { names: ['description'], type: 'string', expression: column('description') },
    { names: ['content_view'], type: 'string', expression: sql.ref('w.name'), isExplicitOnly: true },
    { names: ['content_view_id'], type: 'integer', expression: column('view_id'), isExplicitOnly: true },
    { names: ['id'], type: 'integer', expression: column('id'), isExplicitOnly: true },
    { names: ['organization_id'], type: 'integer', expression: sql.ref('w.organization_id'), isExplicitOnly: true },
    {
      names: ['repository'],
      type: 'string',
      expression: sql.ref('root.name'),
      isExplicitOnly: true,
      some: (isWanted) =>
        sql`exists (select 1 from repositories r join root_repositories root on root.id = r.root_id
          where r.version_id = n.id and ${isWanted})`,
    },
    { names: ['created_at'], type: 'date', expression: column('created_at'), isExplicitOnly: true },
    { names: ['updated_at'], type: 'date', expression: column('updated_at'), isExplicitOnly: true },
  ],
  order: { by: 'version', direction: 'desc' },
  id: column('id'),
}
