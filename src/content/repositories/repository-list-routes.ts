import type { Actor } from '../../platform/auth/actor.ts'
import { type Route, route } from '../../platform/http/endpoint.ts'
import type { SearchRequest } from '../../platform/search/list-request.ts'
import { answerList } from '../answer-list.ts'
import { repositoryEndpoints as endpoints } from './repository-contract.ts'
import { kindsByLabel, unitFilters } from './repository-list-contract.ts'
import { type Presenting, presentRepository } from './repository-presenter.ts'
import type { RepositoryService } from './repository-service.ts'

/** What lists are asked by; the scoped ones take a part of it from their path. */
interface ListParameters extends SearchRequest {
  readonly organization_id?: number
  readonly product_id?: number
  readonly environment_id?: number
  readonly content_view_id?: number
  readonly content_view_version_id?: number
  readonly name?: string
  readonly label?: string
  readonly description?: string
  readonly content_type?: string
  readonly download_policy?: string
  readonly library?: boolean
  readonly archived?: boolean
  readonly available_for?: 'content_view' | 'content_view_version'
  readonly with_content?: string
  readonly username?: string
}

export function repositoryListRoutes(repositories: RepositoryService, presenting: () => Presenting): Route[] {
  const list = (actor: Actor, parameters: ListParameters) => {
    const shown = presenting()
    return answerList(parameters, shown, async (request) => {
      const { rows, ...counts } = await repositories.listRepositories(actor, filterOf(parameters), request)
      return { rows: rows.map((view) => presentRepository(view, shown)), ...counts }
    })
  }
  const scoped = ({ actor, query, params }: { actor: Actor; query: ListParameters; params: object }) =>
    list(actor, { ...query, ...params })
  return [
    route(endpoints.list, scoped),
    route(endpoints.listOfProduct, scoped),
    route(endpoints.listOfOrganization, scoped),
    route(endpoints.listOfEnvironment, scoped),
    route(endpoints.listOfProductInEnvironment, scoped),
    route(endpoints.listOfView, ({ actor, query, params }) => list(actor, { ...query, content_view_id: params.id })),
  ]
}

function filterOf(parameters: ListParameters) {
  const { name, label, description, username, with_content } = parameters
  return {
    name,
    label,
    description,
    username,
    organizationId: parameters.organization_id,
    productId: parameters.product_id,
    environmentId: parameters.environment_id,
    viewId: parameters.content_view_id,
    viewVersionId: parameters.content_view_version_id,
    contentType: parameters.content_type,
    downloadPolicy: parameters.download_policy,
    isLibrary: parameters.library,
    isArchived: parameters.archived,
    availableFor: parameters.available_for,
    withKinds: with_content === undefined ? undefined : kindsByLabel.get(with_content),
    withUnits: wantedUnits(parameters as Readonly<Record<string, unknown>>),
  }
}

function wantedUnits(parameters: Readonly<Record<string, unknown>>) {
  return [...unitFilters].flatMap(([name, kind]) => {
    const id = parameters[name]
    return typeof id === 'string' ? [{ kind, id }] : []
  })
}
