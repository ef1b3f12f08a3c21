import type { Actor } from '../../platform/auth/actor.ts'
import { type Route, route } from '../../platform/http/endpoint.ts'
import { timestamp } from '../../platform/http/timestamps.ts'
import type { SearchRequest } from '../../platform/search/list-request.ts'
import { answerList } from '../answer-list.ts'
import { productEndpoints as endpoints } from './product-contract.ts'
import type { ProductService, ProductView } from './product-service.ts'

interface ListParameters extends SearchRequest {
  readonly organization_id?: number
  readonly name?: string
  readonly label?: string
}

export function productRoutes(products: ProductService, now: () => number): Route[] {
  const list = (actor: Actor, { organization_id: organizationId, ...query }: ListParameters) =>
    answerList(query, { now: now() }, async (request) => {
      const { rows, ...counts } = await products.listProducts(actor, { ...query, organizationId }, request)
      return { rows: rows.map(presentProduct), ...counts }
    })
  return [
    route(endpoints.list, ({ actor, query }) => list(actor, query)),
    route(endpoints.listOfOrganization, ({ actor, params, query }) => list(actor, { ...query, ...params })),
    route(endpoints.create, async ({ actor, body: { organization_id: organizationId, label, ...body } }) => {
      return presentProduct(await products.createProduct(actor, { ...body, organizationId, label: label ?? undefined }))
    }),
    route(endpoints.show, async ({ actor, params }) => presentProduct(await products.getProduct(actor, params.id))),
  ]
}

function presentProduct({ product, organization, repositoryCount }: ProductView): object {
  const { id, name, label, description, organization_id, created_at, updated_at } = product
  return {
    id,
    cp_id: String(id),
    name,
    label,
    description,
    provider_id: id,
    organization_id,
    organization: { id: organization.id, name: organization.name, label: organization.label },
    repository_count: repositoryCount,
    sync_plan_id: null,
    sync_plan: null,
    created_at: timestamp(created_at),
    updated_at: timestamp(updated_at),
  }
}
