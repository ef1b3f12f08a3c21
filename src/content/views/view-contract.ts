import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Id, Nullable, OptionalNullable } from '../../platform/http/schemas.ts'
import { SearchQuery } from '../../platform/search/list-request.ts'
import { Description, Label, ListQuery, Name } from '../contract-parts.ts'

const View = Type.Object({
  id: Id,
  name: Type.String(),
  label: Type.String(),
  description: Nullable(Type.String()),
  composite: Type.Boolean(),
  default: Type.Boolean(),
  organization_id: Id,
  next_version: Type.String(),
  latest_version: Nullable(Type.String()),
  repository_ids: Type.Array(Id),
  component_ids: Type.Array(Id),
})

const tag = 'Content views'
const base = '/content/api/content_views'
const ofOrganization = '/content/api/organizations/{organization_id}/content_views'
const One = Type.Object({ id: Id })
const InOrganization = Type.Object({ organization_id: Id })
const flag = (description: string) => Type.Optional(Type.Boolean({ description }))

const listQuery = {
  ...ListQuery,
  environment_id: Type.Optional(Id),
  nondefault: flag('Without the default views'),
  noncomposite: flag('Without composite views'),
  composite: flag('Only composite views, or only the others'),
  without: Type.Optional(Type.Array(Id, { description: 'Without these views' })),
}

const contents = {
  description: OptionalNullable(Description),
  auto_publish: OptionalNullable(
    Type.Boolean({ description: 'Of composite views: publish whenever a component has a new version' }),
  ),
  solve_dependencies: OptionalNullable(Type.Boolean()),
  composite: OptionalNullable(Type.Boolean({ description: 'Made of other views; cannot be changed' })),
  import_only: OptionalNullable(Type.Boolean({ description: 'Cannot be changed' })),
  repository_ids: OptionalNullable(Type.Array(Id, { maxItems: 10_000, description: 'Repositories in Library' })),
  component_ids: OptionalNullable(
    Type.Array(Id, { maxItems: 10_000, description: 'Of composite views: the versions that they are made of' }),
  ),
}
const creation = { name: Name, label: OptionalNullable(Label), ...contents }

const index = { action: 'content_views.index', method: 'GET', status: 200, tag } as const
const create = {
  action: 'content_views.create',
  method: 'POST',
  status: 201,
  summary: 'Create a content view',
  tag,
  wrapper: 'content_view',
  reply: View,
} as const

export const viewEndpoints = {
  list: endpoint({
    ...index,
    path: base,
    summary: 'List content views',
    query: Type.Object({ ...listQuery, organization_id: Type.Optional(Id) }),
  }),
  listOfOrganization: endpoint({
    ...index,
    path: ofOrganization,
    summary: 'List the content views of an organization',
    params: InOrganization,
    query: Type.Object(listQuery),
  }),
  create: endpoint({ ...create, path: base, body: Type.Object({ organization_id: Id, ...creation }) }),
  createInOrganization: endpoint({
    ...create,
    path: ofOrganization,
    params: InOrganization,
    body: Type.Object(creation),
  }),
  show: endpoint({
    action: 'content_views.show',
    method: 'GET',
    path: `${base}/{id}`,
    status: 200,
    summary: 'Show a content view',
    tag,
    params: One,
    reply: View,
  }),
  update: endpoint({
    action: 'content_views.update',
    method: 'PUT',
    path: `${base}/{id}`,
    status: 200,
    summary: 'Change a content view, or what it is published from',
    tag,
    params: One,
    wrapper: 'content_view',
    body: Type.Object({ name: Type.Optional(Name), ...contents }),
    reply: View,
  }),
  copy: endpoint({
    action: 'content_views.copy',
    method: 'POST',
    path: `${base}/{id}/copy`,
    status: 201,
    summary: 'Create a content view that is published from the same as another one',
    tag,
    params: One,
    body: Type.Object({ name: Name, label: OptionalNullable(Label) }),
    reply: View,
  }),
  history: endpoint({
    action: 'content_view_histories.index',
    method: 'GET',
    path: `${base}/{id}/history`,
    status: 200,
    summary: 'List what was done with a content view, the newest first',
    tag,
    params: One,
    query: Type.Object(SearchQuery),
  }),
}
