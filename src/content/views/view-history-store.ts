import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import { listRows } from '../../platform/search/list-rows.ts'
import type { Searchable } from '../../platform/search/search-fields.ts'
import type { TaskRow } from '../../platform/tasks/tables.ts'
import type { ContentTables } from '../tables.ts'
import type { ViewAction } from '../view-tables.ts'

/** Something that was done with a version. */
export interface HistoryRecord {
  readonly id: number
  readonly version_id: number
  readonly major: number
  readonly minor: number
  readonly action: ViewAction
  readonly environment_id: number | null
  readonly environment_name: string | null
  readonly task_id: string | null
  readonly task_label: string | null
  readonly task_state: TaskRow['state'] | null
  readonly task_result: TaskRow['result'] | null
  readonly username: string
  readonly description: string | null
  readonly created_at: Date
}

const number = sql`n.major || '.' || n.minor`

export const historySearch: Searchable = {
  fields: [
    { names: ['action'], type: 'string', expression: sql.ref('history.action') },
    { names: ['version'], type: 'string', expression: number },
    { names: ['environment'], type: 'string', expression: sql.ref('history.environment_name') },
    { names: ['user'], type: 'string', expression: sql.ref('history.username') },
    { names: ['description'], type: 'string', expression: sql.ref('history.description') },
    { names: ['id'], type: 'integer', expression: sql.ref('history.id'), isExplicitOnly: true },
    { names: ['created_at'], type: 'date', expression: sql.ref('history.created_at'), isExplicitOnly: true },
  ],
  order: { by: 'created_at', direction: 'desc' },
  id: sql.ref('history.id'),
}

/** What was done with the versions that a view has. */
export async function listHistory(
  db: Db<ContentTables>,
  viewId: number,
  request: ListRequest,
): Promise<Listed<HistoryRecord>> {
  const query = db
    .selectFrom('content_view_history as history')
    .innerJoin('content_view_versions as n', 'n.id', 'history.version_id')
    .leftJoin('tasks as t', 't.id', 'history.task_id')
    .selectAll('history')
    .select(['n.major', 'n.minor', 't.label as task_label', 't.state as task_state', 't.result as task_result'])
    .where('n.view_id', '=', viewId)
  return listRows(query, historySearch, request)
}
