import type { Kysely, Transaction } from 'kysely'
import type { TaskService } from '../../platform/tasks/task-service.ts'
import type { ContentTables } from '../tables.ts'
import { deleteRootRepository, lockRepository } from './repository-store.ts'
import { repositoryResource } from './repository-task.ts'

export interface RepositoryDeletionParts {
  readonly db: Kysely<ContentTables>
  readonly tasks: TaskService
  /** Runs in the transaction that deletes the repository, and not when somebody else has deleted it. */
  readonly onDeleted?: (tx: Transaction<ContentTables>) => Promise<unknown>
}

/**
 * Cancels what works on a repository, waits for its end, then deletes it.
 *
 * @returns false when `signal` aborted before everything had ended
 */
export async function deleteRepository(
  { db, tasks, onDeleted }: RepositoryDeletionParts,
  { id, root_id: rootId }: { readonly id: number; readonly root_id: number },
  signal: AbortSignal,
): Promise<boolean> {
  const resource = repositoryResource(rootId)
  while (!signal.aborted) {
    await tasks.endTasksOn(resource, signal)
    const isGone = await db.transaction().execute(async (tx) => {
      if (!(await lockRepository(tx, id))) return true
      if (await tasks.hasUnfinished(tx, resource)) return false
      await deleteRootRepository(tx, rootId)
      await onDeleted?.(tx)
      return true
    })
    if (isGone) return true
  }
  return false
}
