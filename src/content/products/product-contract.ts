import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Id, Nullable, OptionalNullable } from '../../platform/http/schemas.ts'
import { Description, Label, ListQuery, Name } from '../contract-parts.ts'

const Product = Type.Object({
  id: Id,
  cp_id: Type.String(),
  name: Type.String(),
  label: Type.String(),
  description: Nullable(Type.String()),
  organization_id: Id,
  repository_count: Type.Integer(),
})

const tag = 'Products'
const query = Type.Object({ ...ListQuery, organization_id: Type.Optional(Id) })

export const productEndpoints = {
  list: endpoint({ method: 'GET', path: '/content/api/products', status: 200, summary: 'List products', tag, query }),
  listOfOrganization: endpoint({
    method: 'GET',
    path: '/content/api/organizations/{organization_id}/products',
    status: 200,
    summary: 'List the products of an organization',
    tag,
    params: Type.Object({ organization_id: Id }),
    query: Type.Object(ListQuery),
  }),
  create: endpoint({
    method: 'POST',
    path: '/content/api/products',
    status: 201,
    summary: 'Create a product',
    tag,
    wrapper: 'product',
    body: Type.Object({
      organization_id: Id,
      name: Name,
      label: OptionalNullable(Label),
      description: OptionalNullable(Description),
    }),
    reply: Product,
  }),
  show: endpoint({
    method: 'GET',
    path: '/content/api/products/{id}',
    status: 200,
    summary: 'Show a product',
    tag,
    params: Type.Object({ id: Id }),
    reply: Product,
  }),
}
