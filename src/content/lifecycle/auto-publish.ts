import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { TaskService } from '../../platform/tasks/task-service.ts'
import type { ContentTables } from '../tables.ts'
import type { ViewRow } from '../view-tables.ts'
import { publishKind, publishTask, type TaskUser } from './lifecycle-tasks.ts'

interface Published {
  readonly view: ViewRow
  readonly user: TaskUser
}

/**
 * Plans the publication of the composite views that want it whenever a component has a new version. One that is planned
 * already will take this version, too.
 */
export async function enqueueAutoPublish(
  tx: Db<ContentTables>,
  tasks: TaskService,
  { view, user }: Published,
): Promise<void> {
  const { rows } = await sql<ViewRow>`
    select w.* from content_view_components component join content_views w on w.id = component.composite_id
    where component.view_id = ${view.id} and component.version_id is null and w.auto_publish
      and not exists (
        select 1 from tasks t where t.kind = ${publishKind} and t.state = 'planned'
          and t.input -> 'content_view' ->> 'id' = w.id::text)
    order by w.id`.execute(tx)
  const description = `Auto publish, triggered by the content view "${view.name}"`
  for (const composite of rows) await tasks.enqueue(tx, publishTask(composite, { user, description }))
}
