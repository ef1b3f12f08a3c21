import type { Actor } from '../../platform/auth/actor.ts'
import { type Route, route } from '../../platform/http/endpoint.ts'
import { pageOf } from '../../platform/http/paging.ts'
import { indexBody } from '../index-body.ts'
import { repositoryEndpoints as endpoints } from './repository-contract.ts'
import { type Presenting, presentRepository } from './repository-presenter.ts'
import type { RepositoryService } from './repository-service.ts'

/** What lists are asked by; the scoped ones take a part of it from their path. */
interface ListParameters {
  readonly page?: number | string
  readonly per_page?: number | string
  readonly full_result?: boolean
  readonly organization_id?: number
  readonly product_id?: number
  readonly environment_id?: number
  readonly name?: string
  readonly label?: string
  readonly description?: string
  readonly content_type?: string
  readonly download_policy?: string
}

export function repositoryListRoutes(repositories: RepositoryService, presenting: () => Presenting): Route[] {
  const list = async (actor: Actor, parameters: ListParameters) => {
    const page = pageOf(parameters as Parameters<typeof pageOf>[0])
    const { views, total } = await repositories.listRepositories(actor, filterOf(parameters), page)
    return indexBody(
      views.map((view) => presentRepository(view, presenting())),
      { total, page },
    )
  }
  const scoped = ({ actor, query, params }: { actor: Actor; query: ListParameters; params: object }) =>
    list(actor, { ...query, ...params })
  return [
    route(endpoints.list, scoped),
    route(endpoints.listOfProduct, scoped),
    route(endpoints.listOfOrganization, scoped),
    route(endpoints.listOfEnvironment, scoped),
    route(endpoints.listOfProductInEnvironment, scoped),
    route(endpoints.listOfView, async ({ actor, query, params }) => {
      await repositories.requireDefaultView(actor, params.id)
      const isElsewhere = query.organization_id !== undefined && query.organization_id !== params.id
      return isElsewhere
        ? indexBody([], { total: 0, page: pageOf(query) })
        : list(actor, { ...query, organization_id: params.id })
    }),
  ]
}

function filterOf(parameters: ListParameters) {
  const { organization_id, product_id, environment_id, content_type, download_policy, ...texts } = parameters
  return {
    organizationId: organization_id,
    productId: product_id,
    environmentId: environment_id,
    contentType: content_type,
    downloadPolicy: download_policy,
    name: texts.name,
    label: texts.label,
    description: texts.description,
  }
}
