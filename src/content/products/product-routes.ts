import type { Actor } from '../../platform/auth/actor.ts'
import { type Route, route } from '../../platform/http/endpoint.ts'
import type { SearchRequest } from '../../platform/search/list-request.ts'
import { presentTask } from '../../platform/tasks/task-presenter.ts'
import { answerList } from '../answer-list.ts'
import { productEndpoints as endpoints } from './product-contract.ts'
import type { ProductOperations } from './product-operations.ts'
import { presentProduct, presentProductInFull } from './product-presenter.ts'
import type { ProductService } from './product-service.ts'

interface ListParameters extends SearchRequest {
  readonly organization_id?: number
  readonly name?: string
  readonly label?: string
}

export interface ProductRoutesParts {
  readonly products: ProductService
  readonly operations: ProductOperations
  readonly now: () => number
}

export function productRoutes({ products, operations, now }: ProductRoutesParts): Route[] {
  const list = (actor: Actor, { organization_id: organizationId, ...query }: ListParameters) =>
    answerList(query, { now: now() }, async (request) => {
      const { rows, ...counts } = await products.listProducts(actor, { ...query, organizationId }, request)
      return { rows: rows.map((view) => presentProduct(view, now())), ...counts }
    })
  return [
    route(endpoints.list, ({ actor, query }) => list(actor, query)),
    route(endpoints.listOfOrganization, ({ actor, params, query }) => list(actor, { ...query, ...params })),
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
