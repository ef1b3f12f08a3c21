import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Id, Nullable, OptionalNullable } from '../../platform/http/schemas.ts'
import { Description, Label, ListQuery, Name } from '../contract-parts.ts'

const Named = Type.Object({ id: Id, name: Type.String() })

const Environment = Type.Object({
  id: Id,
  name: Type.String(),
  label: Type.String(),
  description: Nullable(Type.String()),
  library: Type.Boolean(),
  prior: Nullable(Named),
  successor: Nullable(Named),
  organization_id: Id,
})

const tag = 'Lifecycle environments'
const base = '/content/api/environments'
const ofOrganization = '/content/api/organizations/{organization_id}/environments'

const organization_id = Id
const One = Type.Object({ id: Id })
const OneOfOrganization = Type.Object({ organization_id, id: Id })
const InOrganization = Type.Object({ organization_id })
const listQuery = {
  ...ListQuery,
  library: Type.Optional(Type.Boolean({ description: 'Only Library, or only the others' })),
}
const pathQuery = {
  permission_type: Type.Optional(
    Type.Enum(['readable', 'promotable'], { description: 'Without effect: whoever sees one sees them all' }),
  ),
}

const attributes = {
  name: Name,
  label: OptionalNullable(Label),
  description: OptionalNullable(Description),
  prior_id: OptionalNullable(Id),
  prior: OptionalNullable(
    Type.String({ description: 'The name of the environment that it follows, in place of its id' }),
  ),
}
const changes = Type.Object({
  name: Type.Optional(Name),
  new_name: OptionalNullable(Name),
  description: OptionalNullable(Description),
})

const index = { action: 'lifecycle_environments.index', method: 'GET', status: 200, tag } as const
const paths = { action: 'lifecycle_environments.paths', method: 'GET', status: 200, tag } as const
const create = {
  action: 'lifecycle_environments.create',
  method: 'POST',
  status: 201,
  summary: 'Create an environment that follows another one',
  tag,
  wrapper: 'environment',
  reply: Environment,
} as const
const show = {
  action: 'lifecycle_environments.show',
  method: 'GET',
  status: 200,
  summary: 'Show an environment',
  tag,
  reply: Environment,
} as const
const update = {
  action: 'lifecycle_environments.update',
  method: 'PUT',
  status: 200,
  summary: 'Change the name or the description of an environment',
  tag,
  wrapper: 'environment',
  body: changes,
  reply: Environment,
} as const
const destroy = {
  action: 'lifecycle_environments.destroy',
  method: 'DELETE',
  status: 200,
  summary: 'Delete an environment that no other follows and that shows no content view',
  tag,
} as const

export const environmentEndpoints = {
  list: endpoint({
    ...index,
    path: base,
    summary: 'List environments',
    query: Type.Object({ ...listQuery, organization_id: Type.Optional(organization_id) }),
  }),
  listOfOrganization: endpoint({
    ...index,
    path: ofOrganization,
    summary: 'List the environments of an organization',
    params: InOrganization,
    query: Type.Object(listQuery),
  }),
  paths: endpoint({
    ...paths,
    path: `${base}/paths`,
    summary: 'List the paths from Library to each environment that no other follows',
    query: Type.Object({ ...pathQuery, organization_id: Type.Optional(organization_id) }),
  }),
  pathsOfOrganization: endpoint({
    ...paths,
    path: `${ofOrganization}/paths`,
    summary: 'List the paths from Library to each environment of an organization that no other follows',
    params: InOrganization,
    query: Type.Object(pathQuery),
  }),
  create: endpoint({ ...create, path: base, body: Type.Object({ organization_id, ...attributes }) }),
  createInOrganization: endpoint({
    ...create,
    path: ofOrganization,
    params: InOrganization,
    body: Type.Object(attributes),
  }),
  show: endpoint({ ...show, path: `${base}/{id}`, params: One }),
  showInOrganization: endpoint({ ...show, path: `${ofOrganization}/{id}`, params: OneOfOrganization }),
  update: endpoint({ ...update, path: `${base}/{id}`, params: One }),
  updateInOrganization: endpoint({ ...update, path: `${ofOrganization}/{id}`, params: OneOfOrganization }),
  delete: endpoint({ ...destroy, path: `${base}/{id}`, params: One }),
  deleteInOrganization: endpoint({ ...destroy, path: `${ofOrganization}/{id}`, params: OneOfOrganization }),
}
