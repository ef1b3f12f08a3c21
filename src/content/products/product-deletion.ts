import type { Kysely } from 'kysely'
import { AppError } from '../../platform/errors.ts'
import type { TaskRow } from '../../platform/tasks/tables.ts'
import type { TaskContext, TaskHandler } from '../../platform/tasks/task-handler.ts'
import type { TaskService } from '../../platform/tasks/task-service.ts'
import { deleteRepository } from '../repositories/repository-deletion.ts'
import { listRepositoriesOf } from '../repositories/repository-store.ts'
import type { ContentTables } from '../tables.ts'
import { deletionKinds, reclaimWork } from '../upkeep/reclaim-space.ts'
import { deleteProduct, lockProduct } from './product-store.ts'

export interface ProductDeletionParts {
  readonly db: Kysely<ContentTables>
  readonly tasks: TaskService
}

/** Deletes a product with its repositories, and gives back what only they needed. */
export function productDeletionHandler(parts: ProductDeletionParts): TaskHandler {
  return {
    kind: deletionKinds.product,
    run: async (task) => {
      const { id } = task.input['product'] as { id: number }
      await deleteWholeProduct(parts, task, id)
      await reclaim(task)
    },
  }
}

/** Deletes repositories one after the other, then the product. The output counts the repositories. */
export async function deleteWholeProduct(parts: ProductDeletionParts, task: TaskContext, id: number): Promise<void> {
  const { db } = parts
  const count = () => Number(task.output['deleted_repositories'] ?? 0)
  Object.assign(task.output, { deleted_repositories: count() })
  for (let isDeleted = false; !isDeleted; ) {
    for (const repository of await listRepositoriesOf(db, id)) {
      task.progress(0, `Deleting repository '${repository.name}'`)
      const isGone = await deleteRepository(parts, repository, task.signal)
      if (!isGone) task.signal.throwIfAborted()
      Object.assign(task.output, { deleted_repositories: count() + 1 })
    }
    isDeleted = await task.commit(db, async (tx) => {
      await lockProduct(tx, id, 'update')
      // somebody may have made another repository meanwhile
      if ((await listRepositoriesOf(tx, id)).length > 0) return false
      await deleteProduct(tx, id)
      return true
    })
  }
}

/** Gives back what nothing needs any more; the output tells how much it was. */
export async function reclaim(task: TaskContext): Promise<void> {
  task.progress(0.9, 'Reclaiming space')
  const [ended] = await task.runChildren([reclaimWork])
  const { output, result, errors } = ended as TaskRow
  if (result !== 'success') throw new AppError('internal', `Cannot reclaim space: ${errors.join('; ')}`)
  Object.assign(task.output, output)
}
