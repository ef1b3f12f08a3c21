import { type TSchema, Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Id, Nullable, OptionalNullable } from '../../platform/http/schemas.ts'
import { Task } from '../../platform/tasks/task-contract.ts'
import { Description, Label, ListQuery, Name } from '../contract-parts.ts'
import { contentTypes } from '../types/index.ts'

const ContentTypeName = Type.Enum(contentTypes.map(({ name }) => name))

/** What may be set at creation, and changed later. */
const attributes = {
  description: OptionalNullable(Description),
  url: OptionalNullable(Type.String({ maxLength: 1024, description: 'Upstream; http or https' })),
  unprotected: Type.Optional(Type.Boolean({ description: 'Served without login; default true' })),
  mirror_on_sync: Type.Optional(
    Type.Boolean({ description: 'A sync also removes what the upstream no longer has; default true' }),
  ),
  verify_ssl_on_sync: Type.Optional(
    Type.Boolean({ description: 'Check the certificate of the upstream; default true' }),
  ),
  download_concurrency: OptionalNullable(
    Type.Integer({ minimum: 1, maximum: 19, description: 'Files fetched at once; default 10' }),
  ),
  upstream_username: OptionalNullable(Type.String({ maxLength: 255 })),
  upstream_password: OptionalNullable(Type.String({ maxLength: 1000, description: 'Never shown again' })),
} as const satisfies Record<string, TSchema>

const Repository = Type.Object({
  id: Id,
  name: Type.String(),
  label: Type.String(),
  description: Nullable(Type.String()),
  content_type: ContentTypeName,
  url: Nullable(Type.String()),
  full_path: Type.String(),
  product: Type.Unknown(),
  content_counts: Type.Record(Type.String(), Type.Integer()),
})

const tag = 'Repositories'
const base = '/content/api/repositories'
const OneRepository = Type.Object({ id: Id })
const filters = { ...ListQuery, content_type: Type.Optional(ContentTypeName) }

export const repositoryEndpoints = {
  list: endpoint({
    method: 'GET',
    path: base,
    status: 200,
    summary: 'List repositories',
    tag,
    query: Type.Object({ ...filters, organization_id: Type.Optional(Id), product_id: Type.Optional(Id) }),
  }),
  listOfProduct: endpoint({
    method: 'GET',
    path: '/content/api/products/{product_id}/repositories',
    status: 200,
    summary: 'List the repositories of a product',
    tag,
    params: Type.Object({ product_id: Id }),
    query: Type.Object(filters),
  }),
  create: endpoint({
    method: 'POST',
    path: base,
    status: 201,
    summary: 'Create a repository',
    tag,
    wrapper: 'repository',
    body: Type.Object({
      name: Name,
      label: OptionalNullable(Label),
      product_id: Id,
      content_type: ContentTypeName,
      ...attributes,
    }),
    reply: Repository,
  }),
  show: endpoint({
    method: 'GET',
    path: `${base}/{id}`,
    status: 200,
    summary: 'Show a repository',
    tag,
    params: OneRepository,
    query: Type.Object({ organization_id: Type.Optional(Id) }),
    reply: Repository,
  }),
  sync: endpoint({
    method: 'POST',
    path: `${base}/{id}/sync`,
    status: 202,
    summary: 'Bring a repository to what its upstream holds, as a task',
    tag,
    params: OneRepository,
    reply: Task,
  }),
}
