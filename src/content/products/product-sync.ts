import type { Kysely } from 'kysely'
import type { TaskContext, TaskHandler } from '../../platform/tasks/task-handler.ts'
import type { NewChildTask } from '../../platform/tasks/task-store.ts'
import { findRepository } from '../repositories/repository-store.ts'
import { repositoryPart } from '../repositories/repository-task.ts'
import { syncWork } from '../sync/sync-task.ts'
import type { ContentTables } from '../tables.ts'

export const productSyncKind = 'content.product.sync'

/**
 * Syncs repositories, each as a part of its own that waits in the queue of its repository. The output counts how they
 * ended; a part that did not end well makes the result a warning.
 */
export function productSyncHandler({ db }: { readonly db: Kysely<ContentTables> }): TaskHandler {
  return { kind: productSyncKind, run: (task) => run(db, task) }
}

async function run(db: Kysely<ContentTables>, task: TaskContext): Promise<void> {
  const ids = task.input['repository_ids'] as readonly number[]
  const parts: NewChildTask[] = []
  for (const id of ids) {
    const repository = await findRepository(db, id)
    if (repository !== undefined) parts.push(repositoryPart(repository, syncWork({})))
  }
  const counts = { total_count: ids.length, planned_count: parts.length, cancelled_count: 0 }
  Object.assign(task.output, { ...counts, pending_count: parts.length, success_count: 0, failed_count: 0 })
  task.progress(0, `Syncing ${parts.length} repositories`)
  const ended = await task.runChildren(parts)
  const having = (...results: string[]) => ended.filter(({ result }) => results.includes(result)).length
  Object.assign(task.output, {
    pending_count: having('pending'),
    success_count: having('success'),
    failed_count: having('error', 'warning') + ids.length - parts.length,
    cancelled_count: having('cancelled'),
  })
  for (const { action, result, errors } of ended) {
    if (result !== 'success') task.warn(`${action}: ${errors.length > 0 ? errors.join('; ') : result}`)
  }
}
