import type { Actor } from '../../platform/auth/actor.ts'
import type { NewTask } from '../../platform/tasks/task-store.ts'
import type { RepositoryRecord } from '../repositories/repository-store.ts'
import { repositoryTask } from '../repositories/repository-task.ts'

export const syncKind = 'content.sync'

/** The task that syncs a repository. */
export function syncTask(repository: RepositoryRecord, actor: Actor): NewTask {
  return repositoryTask(repository, actor, {
    kind: syncKind,
    label: 'Actions::Katello::Repository::Sync',
    verb: 'Synchronize',
  })
}
