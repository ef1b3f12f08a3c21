import type { Transaction } from 'kysely'
import type { TaskContext, TaskHandler } from '../../platform/tasks/task-handler.ts'
import { reclaim } from '../products/product-deletion.ts'
import type { ContentTables } from '../tables.ts'
import { lockView } from '../views/view-store.ts'
import { deleteArchivedCopies, removePlacement } from './copy-store.ts'
import { refuseUsedVersions, refuseUsedView } from './deletable.ts'
import { deleteVersionRow, deleteViewRow } from './deletion-store.ts'
import { insertHistory } from './history-store.ts'
import { listPlacementsOf, listPlaces, listVersionIds } from './lifecycle-store.ts'
import { deleteViewKind, type RemoveInput, removeKind, viewOf } from './lifecycle-tasks.ts'
import type { LifecycleTaskParts } from './publish-view.ts'

type Tx = Transaction<ContentTables>

/** Takes a content view out of environments and deletes versions of it, all at once, and gives back what only they needed. */
export function removeHandler(parts: LifecycleTaskParts): TaskHandler {
  return {
    kind: removeKind,
    run: async (task) => {
      await task.commit(parts.db, (tx) => removeAll(tx, task))
      if ((task.input as unknown as RemoveInput).version_ids.length > 0) await reclaim(task)
    },
  }
}

/** Deletes a content view that no environment shows, with all its versions. */
export function viewDeletionHandler(parts: LifecycleTaskParts): TaskHandler {
  return {
    kind: deleteViewKind,
    run: async (task) => {
      const { id } = viewOf(task)
      await task.commit(parts.db, (tx) => deleteView(tx, id))
      await reclaim(task)
    },
  }
}

async function removeAll(tx: Tx, task: TaskContext): Promise<void> {
  const { environments, version_ids: versionIds, user } = task.input as unknown as RemoveInput
  const view = await lockView(tx, viewOf(task).id, 'update')
  if (view === undefined) return
  const placements = await listPlacementsOf(tx, view.id)
  const places = await listPlaces(tx, view.organization_id)
  for (const { environment_id: environmentId, version_id: versionId } of placements) {
    if (!environments.includes(environmentId)) continue
    await removePlacement(tx, { viewId: view.id, environmentId })
    const environment = places.find(({ id }) => id === environmentId)
    await insertHistory(tx, { taskId: task.id, login: user.login }, { versionId, action: 'removal', environment })
  }
  await refuseUsedVersions(tx, view, versionIds)
  for (const versionId of versionIds) await deleteVersion(tx, versionId)
}

async function deleteView(tx: Tx, id: number): Promise<void> {
  const view = await lockView(tx, id, 'update')
  if (view === undefined) return
  await refuseUsedView(tx, view)
  for (const versionId of await listVersionIds(tx, id)) await deleteArchivedCopies(tx, versionId)
  await deleteViewRow(tx, id)
}

async function deleteVersion(tx: Tx, id: number): Promise<void> {
  await deleteArchivedCopies(tx, id)
  await deleteVersionRow(tx, id)
}
