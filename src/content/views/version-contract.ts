import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Id, Nullable, OptionalNullable } from '../../platform/http/schemas.ts'
import { SearchQuery } from '../../platform/search/list-request.ts'
import { Description } from '../contract-parts.ts'

const Version = Type.Object({
  id: Id,
  name: Type.String(),
  version: Type.String(),
  major: Type.Integer(),
  minor: Type.Integer(),
  content_view_id: Id,
  description: Nullable(Type.String()),
})

const tag = 'Content view versions'
const base = '/content/api/content_view_versions'
const One = Type.Object({ id: Id })

const listQuery = {
  ...SearchQuery,
  organization_id: Type.Optional(Id),
  environment_id: Type.Optional(Id),
  composite_version_id: Type.Optional(
    Type.Integer({ ...Id, description: 'Only those that this version of a composite view is made of' }),
  ),
  version: Type.Optional(Type.String({ description: 'Such as 1.0' })),
  nondefault: Type.Optional(Type.Boolean({ description: 'Without those of default views' })),
  include_applied_filters: Type.Optional(Type.Boolean({ description: 'Without effect' })),
}

const index = { action: 'content_view_versions.index', method: 'GET', status: 200, tag } as const

export const versionEndpoints = {
  list: endpoint({
    ...index,
    path: base,
    summary: 'List versions of content views',
    query: Type.Object({ ...listQuery, content_view_id: Type.Optional(Id) }),
  }),
  listOfView: endpoint({
    ...index,
    path: '/content/api/content_views/{content_view_id}/content_view_versions',
    summary: 'List the versions of a content view',
    params: Type.Object({ content_view_id: Id }),
    query: Type.Object(listQuery),
  }),
  show: endpoint({
    action: 'content_view_versions.show',
    method: 'GET',
    path: `${base}/{id}`,
    status: 200,
    summary: 'Show a version of a content view',
    tag,
    params: One,
    reply: Version,
  }),
  update: endpoint({
    action: 'content_view_versions.update',
    method: 'PUT',
    path: `${base}/{id}`,
    status: 200,
    summary: 'Describe a version of a content view',
    tag,
    params: One,
    wrapper: 'content_view_version',
    body: Type.Object({ description: OptionalNullable(Description) }),
    reply: Version,
  }),
}
