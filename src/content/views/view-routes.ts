import type { Actor } from '../../platform/auth/actor.ts'
import { type Route, route } from '../../platform/http/endpoint.ts'
import type { SearchRequest } from '../../platform/search/list-request.ts'
import { answerList } from '../answer-list.ts'
import { viewEndpoints as endpoints } from './view-contract.ts'
import { historySearch } from './view-history-store.ts'
import { presentHistory, presentView } from './view-presenter.ts'
import type { ViewChange, ViewService } from './view-service.ts'

interface ListParameters extends SearchRequest {
  readonly organization_id?: number
  readonly environment_id?: number
  readonly nondefault?: boolean
  readonly noncomposite?: boolean
  readonly composite?: boolean
  readonly without?: readonly number[]
  readonly name?: string
  readonly label?: string
}

interface Contents {
  readonly name?: string
  readonly description?: string | null
  readonly auto_publish?: boolean | null
  readonly solve_dependencies?: boolean | null
  readonly composite?: boolean | null
  readonly import_only?: boolean | null
  readonly repository_ids?: readonly number[] | null
  readonly component_ids?: readonly number[] | null
}

interface Creation extends Contents {
  readonly organization_id: number
  readonly name: string
  readonly label?: string | null
}

export function viewRoutes(views: ViewService, now: () => number): Route[] {
  const list = (actor: Actor, parameters: ListParameters) =>
    answerList(parameters, { now: now() }, async (request) => {
      const { rows, ...counts } = await views.listViews(actor, filterOf(parameters), request)
      return { rows: rows.map(presentView), ...counts }
    })
  const create = async (actor: Actor, { organization_id: organizationId, name, label, ...body }: Creation) => {
    const request = { organizationId, name, label: label ?? undefined, change: changeOf(body) }
    return presentView(await views.createView(actor, request))
  }
  return [
    route(endpoints.list, ({ actor, query }) => list(actor, query)),
    route(endpoints.listOfOrganization, ({ actor, params, query }) => list(actor, { ...query, ...params })),
    route(endpoints.create, ({ actor, body }) => create(actor, body)),
    route(endpoints.createInOrganization, ({ actor, params, body }) => create(actor, { ...body, ...params })),
    route(endpoints.show, async ({ actor, params }) => presentView(await views.getView(actor, params.id))),
    route(endpoints.update, async ({ actor, params, body }) =>
      presentView(await views.updateView(actor, params.id, changeOf(body))),
    ),
    route(endpoints.copy, async ({ actor, params, body: { name, label } }) =>
      presentView(await views.copyView(actor, params.id, { name, label: label ?? undefined })),
    ),
    route(endpoints.history, ({ actor, params, query }) =>
      answerList(query, { now: now(), order: historySearch.order }, async (request) => {
        const { rows, ...counts } = await views.listHistory(actor, params.id, request)
        return { rows: rows.map(presentHistory), ...counts }
      }),
    ),
  ]
}

function filterOf(parameters: ListParameters) {
  const { organization_id, environment_id, nondefault, noncomposite, composite, without, name, label } = parameters
  return {
    organizationId: organization_id,
    environmentId: environment_id,
    isDefault: nondefault === true ? false : undefined,
    isComposite: noncomposite === true ? false : composite,
    withoutIds: without,
    name,
    label,
  }
}

/** Null means the same as leaving out, but for the description, which it unsets. */
function changeOf({ composite, repository_ids, component_ids, description, ...rest }: Contents): ViewChange {
  const attributes = {
    ...rest,
    is_composite: composite,
    repositoryIds: repository_ids,
    componentIds: component_ids,
  }
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null)
  return { ...Object.fromEntries(given), ...(description === undefined ? {} : { description }) }
}
