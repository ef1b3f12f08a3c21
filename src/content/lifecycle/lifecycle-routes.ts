import { invalidField } from '../../platform/errors.ts'
import { type Route, route } from '../../platform/http/endpoint.ts'
import type { TaskRow } from '../../platform/tasks/tables.ts'
import { presentTask } from '../../platform/tasks/task-presenter.ts'
import { lifecycleEndpoints as endpoints } from './lifecycle-contract.ts'
import type { LifecycleOperations } from './lifecycle-operations.ts'
import type { VersionNumber } from './lifecycle-store.ts'

export function lifecycleRoutes(operations: LifecycleOperations, now: () => number): Route[] {
  const shown = async (task: Promise<TaskRow>) => presentTask(await task, now())
  return [
    route(endpoints.publish, ({ actor, params, body }) =>
      shown(
        operations.startPublish(actor, params.id, {
          number: numberOf(body),
          description: body.description ?? null,
          environmentIds: body.environment_ids ?? [],
          isForced: body.is_force_promote === true,
        }),
      ),
    ),
    route(endpoints.promote, ({ actor, params, body }) =>
      shown(
        operations.startPromotion(actor, params.id, {
          environmentIds: body.environment_ids,
          description: body.description ?? null,
          isForced: body.force === true,
        }),
      ),
    ),
    route(endpoints.removeFromEnvironment, ({ actor, params }) =>
      shown(operations.startRemoval(actor, params.id, { environmentIds: [params.environment_id], versionIds: [] })),
    ),
    route(endpoints.remove, ({ actor, params, body }) =>
      shown(
        operations.startRemoval(actor, params.id, {
          environmentIds: body.environment_ids ?? [],
          versionIds: body.content_view_version_ids ?? [],
        }),
      ),
    ),
    route(endpoints.deleteView, ({ actor, params }) => shown(operations.startViewDeletion(actor, params.id))),
    route(endpoints.deleteVersion, ({ actor, params }) => shown(operations.startVersionDeletion(actor, params.id))),
    route(endpoints.republish, ({ actor, params }) => shown(operations.startRepublish(actor, params.id))),
  ]
}

/** Undefined for the next number. */
function numberOf({ major, minor }: { major?: number | null; minor?: number | null }): VersionNumber | undefined {
  if (typeof major === 'number' && typeof minor === 'number') return { major, minor }
  if (typeof major === 'number') throw invalidField('minor', 'must be given together with major')
  if (typeof minor === 'number') throw invalidField('major', 'must be given together with minor')
  return undefined
}
