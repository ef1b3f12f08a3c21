import type { TaskContext } from '../../platform/tasks/task-handler.ts'
import type { ProductDeletionParts } from '../products/product-deletion.ts'
import { deleteShownView, listMadeViews } from './deletion-store.ts'
import { viewResource } from './lifecycle-tasks.ts'

/** Deletes the content views of an organization wherever they are shown, and cancels what works on them first. */
export async function deleteViewsOf(
  { db, tasks }: ProductDeletionParts,
  task: TaskContext,
  organizationId: number,
): Promise<void> {
  for (const id of await listMadeViews(db, organizationId)) {
    await tasks.endTasksOn(viewResource(id), task.signal)
    task.signal.throwIfAborted()
    await task.commit(db, (tx) => deleteShownView(tx, id))
  }
}
