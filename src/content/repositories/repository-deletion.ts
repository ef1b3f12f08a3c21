import type { Kysely, Transaction } from 'kysely'
import type { TaskService } from '../../platform/tasks/task-service.ts'
import type { ContentTables } from '../tables.ts'
import { type DeletableCopies, refuseHeld } from './repository-copy.ts'
import { deleteRootRepository, lockRepository } from './repository-store.ts'
import { repositoryResource } from './repository-task.ts'

export interface RepositoryDeletionParts {
  readonly db: Kysely<ContentTables>
  readonly tasks: TaskService
  /** Which copies go with it; none when nothing is said. */
  readonly deletable?: DeletableCopies
  /** Runs in the transaction that deletes the repository, and not when somebody else has deleted it. */
  readonly onDeleted?: (tx: Transaction<ContentTables>) => Promise<unknown>
}

/**
 * Cancels what works on a repository, waits for its end, then deletes it with its copies.
 *
 * @returns false when `signal` aborted before everything had ended
 * @throws AppError `conflict` when there are copies that are to stay
 */
export async function deleteRepository(
  { db, tasks, deletable = 'none', onDeleted }: RepositoryDeletionParts,
  { id, root_id: rootId }: { readonly id: number; readonly root_id: number },
  signal: AbortSignal,
): Promise<boolean> {
  // nothing is cancelled for a deletion that cannot be
  await refuseHeld(db, [id], deletable)
  const resource = repositoryResource(rootId)
  while (!signal.aborted) {
    await tasks.endTasksOn(resource, signal)
    const isGone = await db.transaction().execute(async (tx) => {
      if (!(await lockRepository(tx, id))) return true
      if (await tasks.hasUnfinished(tx, resource)) return false
      await refuseHeld(tx, [id], deletable)
      await deleteRootRepository(tx, rootId)
      await onDeleted?.(tx)
      return true
    })
    if (isGone) return true
  }
  return false
}
