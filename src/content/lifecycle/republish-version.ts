import type { TaskContext, TaskHandler } from '../../platform/tasks/task-handler.ts'
import { selectRecords } from '../repositories/repository-store.ts'
import { repositoryPart } from '../repositories/repository-task.ts'
import { republishWork } from '../upkeep/republish.ts'
import { republishKind } from './lifecycle-tasks.ts'
import type { LifecycleTaskParts } from './publish-view.ts'

/** Writes the metadata of all copies of a version anew. */
export function versionRepublishHandler(parts: LifecycleTaskParts): TaskHandler {
  return { kind: republishKind, run: (task) => run(parts, task) }
}

async function run({ db }: LifecycleTaskParts, task: TaskContext): Promise<void> {
  const { version_id: versionId } = task.input as { version_id: number }
  const copies = await selectRecords(db).where('r.version_id', '=', versionId).orderBy('r.id').execute()
  const ended = await task.runChildren(copies.map((copy) => repositoryPart(copy, republishWork)))
  for (const { result, errors } of ended) if (result !== 'success') task.warn(errors.join('; '))
}
