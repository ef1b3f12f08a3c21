import { type Route, route } from '../../platform/http/endpoint.ts'
import { pageOf } from '../../platform/http/paging.ts'
import { presentTask } from '../../platform/tasks/task-presenter.ts'
import { indexBody } from '../index-body.ts'
import { productEndpoints as endpoints } from './product-contract.ts'
import type { ProductOperations } from './product-operations.ts'
import { presentProduct, presentProductInFull } from './product-presenter.ts'
import type { ProductService } from './product-service.ts'

export interface ProductRoutesParts {
  readonly products: ProductService
  readonly operations: ProductOperations
  readonly now: () => number
}

export function productRoutes({ products, operations, now }: ProductRoutesParts): Route[] {
  return [
    route(endpoints.list, async ({ actor, query: { organization_id: organizationId, ...query } }) => {
      const page = pageOf(query)
      const { views, total } = await products.listProducts(actor, { ...query, organizationId }, page)
      return indexBody(
        views.map((view) => presentProduct(view, now())),
        { total, page },
      )
    }),
    route(endpoints.listOfOrganization, async ({ actor, params, query }) => {
      const page = pageOf(query)
      const { views, total } = await products.listProducts(
        actor,
        { ...query, organizationId: params.organization_id },
        page,
      )
      return indexBody(
        views.map((view) => presentProduct(view, now())),
        { total, page },
      )
    }),
    route(
      endpoints.create,
      async ({ actor, body: { organization_id: organizationId, name, label, ...attributes } }) => {
        const request = { organizationId, name, label: label ?? undefined, attributes }
        return presentProductInFull(await products.createProduct(actor, request), now())
      },
    ),
    route(endpoints.show, async ({ actor, params, query }) =>
      presentProductInFull(await products.getDetails(actor, params.id, query.organization_id), now()),
    ),
    route(endpoints.update, async ({ actor, params, body: { name, ...attributes } }) =>
      presentProductInFull(await products.updateProduct(actor, params.id, { name, attributes }), now()),
    ),
    route(endpoints.delete, async ({ actor, params, signal }) =>
      presentTask(await operations.deleteProduct(actor, params.id, signal), now()),
    ),
    route(endpoints.sync, async ({ actor, params }) =>
      presentTask(await operations.startSync(actor, params.id), now()),
    ),
  ]
}
