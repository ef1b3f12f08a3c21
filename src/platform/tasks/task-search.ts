import { type RawBuilder, sql } from 'kysely'
import type { Searchable, SearchField } from '../search/search-fields.ts'

function text(names: SearchField['names'], expression: RawBuilder<unknown>): SearchField {
  return { names, type: 'string', expression }
}

function date(names: SearchField['names'], expression: RawBuilder<unknown>): SearchField {
  return { names, type: 'date', expression, isExplicitOnly: true }
}

/** Fields of the table `tasks`, by the names that Foreman's clients know them by. */
export const taskSearch: Searchable = {
  fields: [
    text(['id'], sql`tasks.id::text`),
    text(['label'], sql.ref('tasks.label')),
    text(['action'], sql.ref('tasks.action')),
    text(['state'], sql.ref('tasks.state')),
    text(['result'], sql.ref('tasks.result')),
    text(['user', 'username', 'owner.login'], sql.ref('tasks.username')),
    { names: ['parent_task_id'], type: 'string', expression: sql`tasks.parent_id::text`, isExplicitOnly: true },
    // "organization:1" is whom a task is shown to
    {
      names: ['organization_id'],
      type: 'integer',
      expression: sql`substring(tasks.scope from '^organization:([0-9]+)$')::bigint`,
      isExplicitOnly: true,
    },
    date(['started_at'], sql.ref('tasks.started_at')),
    date(['ended_at'], sql.ref('tasks.ended_at')),
    date(['start_at', 'created_at'], sql.ref('tasks.created_at')),
  ],
  order: { by: 'start_at', direction: 'desc' },
  id: sql.ref('tasks.seq'),
}
