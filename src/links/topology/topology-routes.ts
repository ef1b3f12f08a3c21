import { AppError } from '../../platform/errors.ts'
import { type Route, route } from '../../platform/http/endpoint.ts'
import type { Presenters } from '../events/announcer.ts'
import { topologyEndpoints as endpoints } from './topology-contract.ts'
import type { TopologyService } from './topology-service.ts'

export function topologyRoutes(topologies: TopologyService, { project: present }: Presenters): Route[] {
  return [
    route(endpoints.export, ({ actor, params }) => topologies.exportProject(actor, params.project_id)),
    route(endpoints.import, async ({ actor, params, query, body }) => {
      const request = { projectId: params.project_id, name: query.name, document: body }
      return present(await topologies.importProject(actor, request))
    }),
    route(endpoints.duplicate, async ({ actor, params, body: { name, reset_mac_addresses } }) => {
      const request = { name, resetMacAddresses: reset_mac_addresses ?? false }
      return present(await topologies.duplicateProject(actor, params.project_id, request))
    }),
    route(endpoints.load, () => {
      throw new AppError('forbidden', "Cannot load a project from this server's files: import its document instead")
    }),
  ]
}
