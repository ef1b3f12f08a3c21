import type { TaskContext, TaskHandler } from '../../platform/tasks/task-handler.ts'
import { type RepositoryRecord, setSyncState } from '../repositories/repository-store.ts'
import type { RepositoryWork } from '../repositories/repository-task.ts'
import { removeUnits } from '../sets/unit-removal-store.ts'
import { type ContentTaskParts, publishLatest, subjectOf } from './repository-content.ts'

const kind = 'content.remove'

export function removalWork(unitIds: readonly number[]): RepositoryWork {
  return {
    kind,
    label: 'Actions::Katello::Repository::RemoveContent',
    action: 'Remove Content',
    input: { unit_ids: unitIds },
  }
}

/**
 * Makes a version without some units, and publishes it. A mirror gets them back with its next sync, as long as its upstream
 * has them; a repository that only gathers does when the upstream changes.
 */
export function removalHandler(parts: ContentTaskParts): TaskHandler {
  return { kind, run: (task) => run(parts, task) }
}

async function run(parts: ContentTaskParts, task: TaskContext): Promise<void> {
  const subject = await subjectOf(parts, task)
  const { repository } = subject
  const unitIds = task.input['unit_ids'] as readonly number[]
  const { version, removed } = await task.commit(parts.db, async (tx) => {
    const result = await removeUnits(tx, repository.set_id, unitIds)
    const state = stateAfter(repository, result.version)
    if (state !== undefined) await setSyncState(tx, repository.id, state)
    return result
  })
  Object.assign(task.output, { version, removed })
  await publishLatest(parts, task, subject)
}

/** What a gathering repository knows of its upstream stays true. */
function stateAfter({ mirror_on_sync, sync_state: state, set_version }: RepositoryRecord, version: number) {
  const isTrue = !mirror_on_sync && state?.['version'] === set_version
  return isTrue ? { ...state, version, mirrors: false } : undefined
}
