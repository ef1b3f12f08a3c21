import { type Route, route } from '../../platform/http/endpoint.ts'
import { pageOf } from '../../platform/http/paging.ts'
import { presentTask } from '../../platform/tasks/task-presenter.ts'
import { indexBody } from '../index-body.ts'
import { repositoryEndpoints as endpoints } from './repository-contract.ts'
import { type Presenting, presentRepository, presentRepositoryInFull } from './repository-presenter.ts'
import type { RepositoryService } from './repository-service.ts'

export interface RepositoryRoutesParts {
  readonly repositories: RepositoryService
  /** Known when the content listener is open. */
  readonly contentUrl: () => string
  readonly now: () => number
}

export function repositoryRoutes({ repositories, contentUrl, now }: RepositoryRoutesParts): Route[] {
  const presenting = (): Presenting => ({ contentUrl: contentUrl(), now: now() })

  return [
    route(endpoints.list, async ({ actor, query }) => {
      const page = pageOf(query)
      const { organization_id: organizationId, product_id: productId, content_type: contentType, name, label } = query
      const { views, total } = await repositories.listRepositories(
        actor,
        { organizationId, productId, contentType, name, label },
        page,
      )
      return indexBody(
        views.map((view) => presentRepository(view, presenting())),
        { total, page },
      )
    }),
    route(
      endpoints.listOfProduct,
      async ({ actor, params, query: { content_type: contentType, name, label, ...query } }) => {
        const page = pageOf(query)
        const filter = { productId: params.product_id, contentType, name, label }
        const { views, total } = await repositories.listRepositories(actor, filter, page)
        return indexBody(
          views.map((view) => presentRepository(view, presenting())),
          { total, page },
        )
      },
    ),
    route(endpoints.create, async ({ actor, body: { product_id: productId, ...body } }) => {
      return presentRepositoryInFull(await repositories.createRepository(actor, { productId, ...body }), presenting())
    }),
    route(endpoints.show, async ({ actor, params, query }) => {
      return presentRepositoryInFull(
        await repositories.getRepository(actor, params.id, query.organization_id),
        presenting(),
      )
    }),
    route(endpoints.sync, async ({ actor, params }) =>
      presentTask(await repositories.startSync(actor, params.id), now()),
    ),
  ]
}
