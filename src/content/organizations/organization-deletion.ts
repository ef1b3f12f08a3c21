import type { TaskContext, TaskHandler } from '../../platform/tasks/task-handler.ts'
import { deleteViewsOf } from '../lifecycle/delete-views.ts'
import { listMadeViews } from '../lifecycle/deletion-store.ts'
import { deleteWholeProduct, type ProductDeletionParts, reclaim } from '../products/product-deletion.ts'
import { listProductIds } from '../products/product-store.ts'
import { deletionKinds } from '../upkeep/reclaim-space.ts'
import { deleteOrganization, lockOrganization } from './organization-store.ts'

/** Deletes an organization with all that belongs to it, and gives back what only that needed. */
export function organizationDeletionHandler(parts: ProductDeletionParts): TaskHandler {
  return { kind: deletionKinds.organization, run: (task) => run(parts, task) }
}

/** Products go one after the other, then the organization with the rest. The output counts products and repositories. */
async function run(parts: ProductDeletionParts, task: TaskContext): Promise<void> {
  const { id } = task.input['organization'] as { id: number }
  let products = 0
  for (let isDeleted = false; !isDeleted; ) {
    await deleteViewsOf(parts, task, id)
    for (const product of await listProductIds(parts.db, id)) {
      await deleteWholeProduct(parts, task, product)
      products += 1
    }
    isDeleted = await task.commit(parts.db, async (tx) => {
      await lockOrganization(tx, id, 'update')
      // somebody may have made another one meanwhile
      if ((await listProductIds(tx, id)).length + (await listMadeViews(tx, id)).length > 0) return false
      await deleteOrganization(tx, id)
      return true
    })
  }
  Object.assign(task.output, { deleted_products: products })
  await reclaim(task)
}
