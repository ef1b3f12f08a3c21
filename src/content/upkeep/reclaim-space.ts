import type { Kysely } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Artifacts } from '../../platform/blobs/artifacts.ts'
import type { TaskContext, TaskHandler } from '../../platform/tasks/task-handler.ts'
import type { NewChildTask, NewTask } from '../../platform/tasks/task-store.ts'
import { organizationScope } from '../organizations/organization-access.ts'
import { clearEndedStaging, deleteUnusedUnits } from '../sets/unit-store.ts'
import type { ContentTables } from '../tables.ts'
import { findQuiet } from './writer-store.ts'

/** The kinds of tasks that delete; they write no bytes that others should wait for. */
export const deletionKinds = {
  reclaim: 'content.reclaim',
  product: 'content.product.delete',
  organization: 'content.organization.delete',
  versions: 'content.view.remove',
  view: 'content.view.delete',
} as const

/** Gives back what nothing needs any more; one at a time, because two would keep each other from it. */
export const reclaimWork: NewChildTask = {
  kind: deletionKinds.reclaim,
  label: 'Actions::Katello::Repository::ReclaimSpace',
  action: 'Reclaim space',
  humanizedAction: 'Reclaim space',
  input: {},
  resources: [{ name: 'space', mode: 'exclusive' }],
}

/** The task that gives back what only a deleted repository needed. */
export function reclaimTask(
  { id, name, organization_id }: { readonly id: number; readonly name: string; readonly organization_id: number },
  actor: Actor,
): NewTask {
  return {
    ...reclaimWork,
    action: `Reclaim space of the deleted repository '${name}'`,
    input: { repository: { id, name } },
    resources: reclaimWork.resources ?? [],
    user: { id: actor.userId, login: actor.login },
    scope: organizationScope(organization_id),
  }
}

export interface ReclaimParts {
  readonly db: Kysely<ContentTables>
  readonly artifacts: Artifacts
}

/**
 * Removes units that are in no set, and bytes that nothing references. What a running task or upload may be about to
 * reference stays: housekeeping finds it later. The output says what the disk got back.
 */
export function reclaimHandler(parts: ReclaimParts): TaskHandler {
  return { kind: deletionKinds.reclaim, run: (task) => run(parts, task) }
}

async function run({ db, artifacts }: ReclaimParts, task: TaskContext): Promise<void> {
  await clearEndedStaging(db)
  const { since, writers } = await findQuiet(db, Object.values(deletionKinds))
  let units = 0
  for (let gone = 1; gone > 0; units += gone) {
    task.signal.throwIfAborted()
    gone = await deleteUnusedUnits(db, since)
  }
  const { count, bytes } = await artifacts.removeUnreferenced({ touchedBefore: since, signal: task.signal })
  Object.assign(task.output, { freed_units: units, freed_files: count, freed_bytes: bytes, running_writers: writers })
}
