import type { Actor } from '../../platform/auth/actor.ts'
import { type Route, route } from '../../platform/http/endpoint.ts'
import type { SearchRequest } from '../../platform/search/list-request.ts'
import { answerList } from '../answer-list.ts'
import { environmentEndpoints as endpoints } from './environment-contract.ts'
import { presentEnvironment } from './environment-presenter.ts'
import type { EnvironmentService } from './environment-service.ts'

interface ListParameters extends SearchRequest {
  readonly organization_id?: number
  readonly library?: boolean
  readonly name?: string
  readonly label?: string
}

interface Place {
  readonly id: number
  readonly organization_id?: number
}

interface Creation {
  readonly organization_id: number
  readonly name: string
  readonly label?: string | null
  readonly description?: string | null
  readonly prior_id?: number | null
  readonly prior?: string | null
}

interface Change {
  readonly name?: string
  readonly new_name?: string | null
  readonly description?: string | null
}

export function environmentRoutes(environments: EnvironmentService, now: () => number): Route[] {
  const asker = asking(environments, now)
  const place = ({ id, organization_id: organizationId }: Place) => ({ id, organizationId })
  const show = async (actor: Actor, { id, organization_id: organizationId }: Place) =>
    presentEnvironment(await environments.getEnvironment(actor, id, organizationId))
  const update = async (actor: Actor, at: Place, { name, new_name, description }: Change) =>
    presentEnvironment(await environments.updateEnvironment(actor, place(at), { name: new_name ?? name, description }))
  const destroy = async (actor: Actor, at: Place) => {
    await environments.deleteEnvironment(actor, place(at))
    return {}
  }
  return [
    route(endpoints.list, ({ actor, query }) => asker.list(actor, query)),
    route(endpoints.listOfOrganization, ({ actor, params, query }) => asker.list(actor, { ...query, ...params })),
    route(endpoints.paths, ({ actor, query }) => asker.paths(actor, query.organization_id)),
    route(endpoints.pathsOfOrganization, ({ actor, params }) => asker.paths(actor, params.organization_id)),
    route(endpoints.create, ({ actor, body }) => asker.create(actor, body)),
    route(endpoints.createInOrganization, ({ actor, params, body }) => asker.create(actor, { ...body, ...params })),
    route(endpoints.show, ({ actor, params }) => show(actor, params)),
    route(endpoints.showInOrganization, ({ actor, params }) => show(actor, params)),
    route(endpoints.update, ({ actor, params, body }) => update(actor, params, body)),
    route(endpoints.updateInOrganization, ({ actor, params, body }) => update(actor, params, body)),
    route(endpoints.delete, ({ actor, params }) => destroy(actor, params)),
    route(endpoints.deleteInOrganization, ({ actor, params }) => destroy(actor, params)),
  ]
}

function asking(environments: EnvironmentService, now: () => number) {
  return {
    list: (actor: Actor, { organization_id: organizationId, library: isLibrary, ...query }: ListParameters) =>
      answerList(query, { now: now() }, async (request) => {
        const filter = { organizationId, isLibrary, name: query.name, label: query.label }
        const { rows, ...counts } = await environments.listEnvironments(actor, filter, request)
        return { rows: rows.map(presentEnvironment), ...counts }
      }),
    paths: async (actor: Actor, organizationId: number | undefined) => {
      const paths = await environments.listPaths(actor, organizationId)
      return { results: paths.map((path) => ({ environments: path.map(presentEnvironment) })) }
    },
    create: async (actor: Actor, { organization_id: organizationId, label, prior_id, prior, ...body }: Creation) =>
      presentEnvironment(
        await environments.createEnvironment(actor, {
          organizationId,
          name: body.name,
          label: label ?? undefined,
          description: body.description ?? null,
          prior: prior_id ?? prior ?? undefined,
        }),
      ),
  }
}
