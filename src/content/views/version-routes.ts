import type { Actor } from '../../platform/auth/actor.ts'
import { type Route, route } from '../../platform/http/endpoint.ts'
import type { SearchRequest } from '../../platform/search/list-request.ts'
import { answerList } from '../answer-list.ts'
import { versionEndpoints as endpoints } from './version-contract.ts'
import { presentVersion } from './version-presenter.ts'
import { versionSearch } from './version-search.ts'
import type { VersionService } from './version-service.ts'

interface ListParameters extends SearchRequest {
  readonly organization_id?: number
  readonly environment_id?: number
  readonly content_view_id?: number
  readonly composite_version_id?: number
  readonly version?: string
  readonly nondefault?: boolean
}

export function versionRoutes(versions: VersionService, now: () => number): Route[] {
  const list = (actor: Actor, parameters: ListParameters) =>
    answerList(parameters, { now: now(), order: versionSearch.order }, async (request) => {
      const filter = {
        organizationId: parameters.organization_id,
        environmentId: parameters.environment_id,
        viewId: parameters.content_view_id,
        compositeVersionId: parameters.composite_version_id,
        version: parameters.version,
        isDefault: parameters.nondefault === true ? false : undefined,
      }
      const { rows, ...counts } = await versions.listVersions(actor, filter, request)
      return { rows: rows.map(presentVersion), ...counts }
    })
  return [
    route(endpoints.list, ({ actor, query }) => list(actor, query)),
    route(endpoints.listOfView, ({ actor, params, query }) => list(actor, { ...query, ...params })),
    route(endpoints.show, async ({ actor, params }) => presentVersion(await versions.getVersion(actor, params.id))),
    route(endpoints.update, async ({ actor, params, body }) =>
      presentVersion(await versions.updateVersion(actor, params.id, body)),
    ),
  ]
}
