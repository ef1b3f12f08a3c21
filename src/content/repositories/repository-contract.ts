import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Id, Nullable, OptionalNullable } from '../../platform/http/schemas.ts'
import { Task } from '../../platform/tasks/task-contract.ts'
import { Label, Name } from '../contract-parts.ts'
import { contentTypes } from '../types/index.ts'
import { commonAttributes, ownAttributes } from './repository-attributes-contract.ts'
import { ContentTypeName, repositoryFilters } from './repository-list-contract.ts'

const UnitLabel = Type.Enum([
  ...new Set(
    contentTypes.flatMap(({ unitKinds }) => unitKinds.filter((unit) => unit.isRemovable).map(({ label }) => label)),
  ),
])

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
const organization_id = Type.Optional(Id)
const product_id = Type.Optional(Id)
const environment_id = Type.Optional(Id)
const Forced = Type.Optional(
  Type.Boolean({ description: 'Also from versions of content views that are in no environment' }),
)

const removal = {
  method: 'PUT',
  status: 202,
  tag,
  params: OneRepository,
  body: Type.Object({
    ids: Type.Array(Type.Union([Type.String({ maxLength: 100 }), Id]), { minItems: 1, maxItems: 100_000 }),
    content_type: OptionalNullable(UnitLabel),
    sync_capsule: OptionalNullable(Type.Boolean({ description: 'Without effect' })),
  }),
  reply: Task,
} as const

export const repositoryEndpoints = {
  list: endpoint({
    action: 'repositories.index',
    method: 'GET',
    path: base,
    status: 200,
    summary: 'List repositories',
    tag,
    query: Type.Object({ ...repositoryFilters, organization_id, product_id, environment_id }),
  }),
  listOfProduct: endpoint({
    action: 'repositories.index',
    method: 'GET',
    path: '/content/api/products/{product_id}/repositories',
    status: 200,
    summary: 'List the repositories of a product',
    tag,
    params: Type.Object({ product_id: Id }),
    query: Type.Object({ ...repositoryFilters, organization_id, environment_id }),
  }),
  listOfOrganization: endpoint({
    action: 'repositories.index',
    method: 'GET',
    path: '/content/api/organizations/{organization_id}/repositories',
    status: 200,
    summary: 'List the repositories of an organization',
    tag,
    params: Type.Object({ organization_id: Id }),
    query: Type.Object({ ...repositoryFilters, product_id, environment_id }),
  }),
  listOfEnvironment: endpoint({
    action: 'repositories.index',
    method: 'GET',
    path: '/content/api/organizations/{organization_id}/environments/{environment_id}/repositories',
    status: 200,
    summary: 'List the repositories of an environment',
    tag,
    params: Type.Object({ organization_id: Id, environment_id: Id }),
    query: Type.Object({ ...repositoryFilters, product_id }),
  }),
  listOfProductInEnvironment: endpoint({
    action: 'repositories.index',
    method: 'GET',
    path: '/content/api/environments/{environment_id}/products/{product_id}/repositories',
    status: 200,
    summary: 'List the repositories of a product in an environment',
    tag,
    params: Type.Object({ environment_id: Id, product_id: Id }),
    query: Type.Object({ ...repositoryFilters, organization_id }),
  }),
  listOfView: endpoint({
    action: 'repositories.index',
    method: 'GET',
    path: '/content/api/content_views/{id}/repositories',
    status: 200,
    summary: 'List the repositories of a content view: of the default view of an organization, which has its id',
    tag,
    params: Type.Object({ id: Id }),
    query: Type.Object({ ...repositoryFilters, organization_id, product_id, environment_id }),
  }),
  create: endpoint({
    action: 'repositories.create',
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
      ...commonAttributes,
      ...ownAttributes,
    }),
    reply: Repository,
  }),
  show: endpoint({
    action: 'repositories.show',
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
    action: 'repositories.sync',
    method: 'POST',
    path: `${base}/{id}/sync`,
    status: 202,
    summary: 'Bring a repository to what its upstream holds, as a task',
    tag,
    params: OneRepository,
    body: Type.Object({
      source_url: OptionalNullable(Type.String({ maxLength: 1024, description: 'Upstream of this sync only' })),
      incremental: OptionalNullable(Type.Boolean({ description: 'Remove nothing' })),
      skip_metadata_check: OptionalNullable(
        Type.Boolean({ description: 'Also when the upstream says that nothing changed; not for all types' }),
      ),
      validate_contents: OptionalNullable(
        Type.Boolean({ description: 'Check all bytes afterwards; not for all types' }),
      ),
    }),
    reply: Task,
  }),
  types: endpoint({
    action: 'repositories.repository_types',
    method: 'GET',
    path: `${base}/repository_types`,
    status: 200,
    summary: 'List the types of repositories',
    tag,
    query: Type.Object({ creatable: Type.Optional(Type.Boolean({ description: 'Only those that can be created' })) }),
    reply: Type.Array(Type.Unknown()),
  }),
  update: endpoint({
    action: 'repositories.update',
    method: 'PUT',
    path: `${base}/{id}`,
    status: 200,
    summary: 'Change attributes of a repository; null sets one back to its default',
    tag,
    wrapper: 'repository',
    params: OneRepository,
    body: Type.Object({ name: Type.Optional(Name), ...commonAttributes, ...ownAttributes }),
    reply: Repository,
  }),
  delete: endpoint({
    action: 'repositories.destroy',
    method: 'DELETE',
    path: `${base}/{id}`,
    status: 200,
    summary: 'Delete a repository; its tasks are cancelled',
    tag,
    params: OneRepository,
    query: Type.Object({ force: Forced, remove_from_content_view_versions: Forced }),
  }),
  republish: endpoint({
    action: 'repositories.republish',
    method: 'PUT',
    path: `${base}/{id}/republish`,
    status: 202,
    summary: 'Write the metadata of a repository anew, as a task',
    tag,
    params: OneRepository,
    reply: Task,
  }),
  verify: endpoint({
    action: 'repositories.verify_checksum',
    method: 'POST',
    path: `${base}/{id}/verify_checksum`,
    status: 202,
    summary: 'Check all stored bytes of a repository and repair what is damaged, as a task',
    tag,
    params: OneRepository,
    reply: Task,
  }),
  removeContent: endpoint({
    action: 'repositories.remove_content',
    ...removal,
    path: `${base}/{id}/remove_content`,
    summary: 'Take units out of a repository',
  }),
  removePackages: endpoint({
    action: 'repositories.remove_content',
    ...removal,
    path: `${base}/{id}/remove_packages`,
    summary: 'The same as remove_content',
  }),
  removeManifests: endpoint({
    action: 'repositories.remove_content',
    ...removal,
    path: `${base}/{id}/remove_docker_manifests`,
    summary: 'The same as remove_content',
  }),
  gpgKey: endpoint({
    action: 'repositories.gpg_key_content',
    method: 'GET',
    path: `${base}/{id}/gpg_key_content`,
    status: 200,
    summary: 'Show the text of the GPG key of a repository',
    tag,
    access: 'public',
    params: OneRepository,
  }),
}
