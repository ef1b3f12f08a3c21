import type { Db } from '../../platform/db/database.ts'
import type { ContentTables } from '../tables.ts'
import type { ViewAction } from '../view-tables.ts'

type ContentDb = Db<ContentTables>

export interface HistoryEntry {
  readonly versionId: number
  readonly action: ViewAction
  readonly environment?: { readonly id: number; readonly name: string } | undefined
  readonly description?: string | null | undefined
}

/** Who did it, and by which task. */
export interface Author {
  readonly taskId: string
  readonly login: string
}

export async function insertHistory(
  tx: ContentDb,
  { taskId, login }: Author,
  { versionId, action, environment, description = null }: HistoryEntry,
): Promise<void> {
  await tx
    .insertInto('content_view_history')
    .values({
      version_id: versionId,
      action,
      environment_id: environment?.id ?? null,
      environment_name: environment?.name ?? null,
      task_id: taskId,
      username: login,
      description,
    })
    .execute()
}

/** The version that a task has published, when it was killed after that and is run again. */
export async function findPublishedBy(tx: ContentDb, taskId: string): Promise<number | undefined> {
  const row = await tx
    .selectFrom('content_view_history')
    .select('version_id')
    .where('task_id', '=', taskId)
    .where('action', '=', 'publish')
    .executeTakeFirst()
  return row?.version_id
}

/** Whether a promotion was done by this task, which was killed after that and is run again. */
export async function isPromotedBy(tx: ContentDb, taskId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('content_view_history')
    .select('id')
    .where('task_id', '=', taskId)
    .where('action', '=', 'promotion')
    .executeTakeFirst()
  return row !== undefined
}
