import { type Route, route } from '../../platform/http/endpoint.ts'
import { pageOf } from '../../platform/http/paging.ts'
import { timestamp } from '../../platform/http/timestamps.ts'
import { indexBody } from '../index-body.ts'
import { productEndpoints as endpoints } from './product-contract.ts'
import type { ProductService, ProductView } from './product-service.ts'

export function productRoutes(products: ProductService): Route[] {
  return [
    route(endpoints.list, async ({ actor, query: { organization_id: organizationId, ...query } }) => {
      const page = pageOf(query)
      const { views, total } = await products.listProducts(actor, { ...query, organizationId }, page)
      return indexBody(views.map(presentProduct), { total, page })
    }),
    route(endpoints.listOfOrganization, async ({ actor, params, query }) => {
      const page = pageOf(query)
      const { views, total } = await products.listProducts(
        actor,
        { ...query, organizationId: params.organization_id },
        page,
      )
      return indexBody(views.map(presentProduct), { total, page })
    }),
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
