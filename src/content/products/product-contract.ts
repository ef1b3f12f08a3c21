import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Id, Nullable, OptionalNullable } from '../../platform/http/schemas.ts'
import { Task } from '../../platform/tasks/task-contract.ts'
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
const base = '/content/api/products'
const One = Type.Object({ id: Id })
const query = Type.Object({ ...ListQuery, organization_id: Type.Optional(Id) })

const attributes = {
  description: OptionalNullable(Description),
  gpg_key_id: OptionalNullable(Id),
  ssl_ca_cert_id: OptionalNullable(Id),
  ssl_client_cert_id: OptionalNullable(Id),
  ssl_client_key_id: OptionalNullable(Id),
  sync_plan_id: Type.Optional(Type.Null({ description: 'There are no sync plans' })),
}

export const productEndpoints = {
  list: endpoint({
    action: 'products.index',
    method: 'GET',
    path: base,
    status: 200,
    summary: 'List products',
    tag,
    query,
  }),
  listOfOrganization: endpoint({
    action: 'products.index',
    method: 'GET',
    path: '/content/api/organizations/{organization_id}/products',
    status: 200,
    summary: 'List the products of an organization',
    tag,
    params: Type.Object({ organization_id: Id }),
    query: Type.Object(ListQuery),
  }),
  create: endpoint({
    action: 'products.create',
    method: 'POST',
    path: base,
    status: 201,
    summary: 'Create a product; new repositories in it begin with its credentials',
    tag,
    wrapper: 'product',
    body: Type.Object({ organization_id: Id, name: Name, label: OptionalNullable(Label), ...attributes }),
    reply: Product,
  }),
  show: endpoint({
    action: 'products.show',
    method: 'GET',
    path: `${base}/{id}`,
    status: 200,
    summary: 'Show a product',
    tag,
    params: One,
    query: Type.Object({ organization_id: Type.Optional(Id) }),
    reply: Product,
  }),
  update: endpoint({
    action: 'products.update',
    method: 'PUT',
    path: `${base}/{id}`,
    status: 200,
    summary: 'Change attributes of a product; null unsets one',
    tag,
    wrapper: 'product',
    params: One,
    body: Type.Object({ name: Type.Optional(Name), ...attributes }),
    reply: Product,
  }),
  delete: endpoint({
    action: 'products.destroy',
    method: 'DELETE',
    path: `${base}/{id}`,
    status: 202,
    summary: 'Delete a product with its repositories, as a task',
    tag,
    params: One,
    reply: Task,
  }),
  sync: endpoint({
    action: 'products.sync',
    method: 'POST',
    path: `${base}/{id}/sync`,
    status: 202,
    summary: 'Sync all repositories of a product that have an upstream, as a task',
    tag,
    params: One,
    reply: Task,
  }),
}
