import { isForeignKeyViolation } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { TaskContext, TaskHandler } from '../../platform/tasks/task-handler.ts'
import { findVersion } from '../views/version-store.ts'
import { placeVersion } from './copy-store.ts'
import { insertHistory, isPromotedBy } from './history-store.ts'
import { listPlaces } from './lifecycle-store.ts'
import { type PromoteInput, promoteKind } from './lifecycle-tasks.ts'
import type { LifecycleTaskParts } from './publish-view.ts'

const gone = 'Cannot promote the version: it or an environment was deleted meanwhile'

/** Shows a version of a content view in environments, in place of the versions that were there: in all of them or in none. */
export function promoteHandler(parts: LifecycleTaskParts): TaskHandler {
  return { kind: promoteKind, run: (task) => promote(parts, task) }
}

async function promote({ db }: LifecycleTaskParts, task: TaskContext): Promise<void> {
  const { version_id: versionId, environments, description, user } = task.input as unknown as PromoteInput
  const author = { taskId: task.id, login: user.login }
  await task
    .commit(db, async (tx) => {
      if (await isPromotedBy(tx, task.id)) return
      const version = await findVersion(tx, versionId)
      if (version === undefined)
        throw new AppError('not_found', `Cannot promote version "${versionId}": it was deleted`)
      const places = (await listPlaces(tx, version.organization_id)).filter(({ id }) => environments.includes(id))
      if (places.length < environments.length)
        throw new AppError('not_found', `Cannot promote "${version.view_name}": an environment was deleted`)
      for (const environment of places) {
        await placeVersion(tx, { viewId: version.view_id, versionId, environmentId: environment.id })
        await insertHistory(tx, author, { versionId, action: 'promotion', environment, description })
      }
    })
    .catch((error: unknown) => {
      throw isForeignKeyViolation(error) ? new AppError('not_found', gone, { cause: error }) : error
    })
  Object.assign(task.output, { content_view_version_id: versionId, environment_ids: environments })
  task.progress(1, 'Promoted')
}
