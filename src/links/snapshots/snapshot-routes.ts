import { type Route, route } from '../../platform/http/endpoint.ts'
import type { Presenters } from '../events/announcer.ts'
import { snapshotEndpoints as endpoints } from './snapshot-contract.ts'
import type { SnapshotAddress } from './snapshot-files.ts'
import { presentSnapshot } from './snapshot-presenter.ts'
import type { SnapshotService } from './snapshot-service.ts'

export function snapshotRoutes(snapshots: SnapshotService, { project: presentProject }: Presenters): Route[] {
  return [
    route(endpoints.list, async ({ actor, params }) =>
      (await snapshots.listSnapshots(actor, params.project_id)).map(presentSnapshot),
    ),
    route(endpoints.create, async ({ actor, params, body }) =>
      presentSnapshot(await snapshots.createSnapshot(actor, params.project_id, body.name)),
    ),
    route(endpoints.delete, ({ actor, params }) => snapshots.deleteSnapshot(actor, addressOf(params))),
    route(endpoints.restore, async ({ actor, params }) =>
      presentProject(await snapshots.restoreSnapshot(actor, addressOf(params))),
    ),
  ]
}

function addressOf(params: { project_id: string; snapshot_id: string }): SnapshotAddress {
  return { projectId: params.project_id, id: params.snapshot_id }
}
