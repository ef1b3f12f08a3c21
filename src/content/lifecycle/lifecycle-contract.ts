import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Id, OptionalNullable } from '../../platform/http/schemas.ts'
import { Task } from '../../platform/tasks/task-contract.ts'
import { Description } from '../contract-parts.ts'

const views = '/content/api/content_views'
const versions = '/content/api/content_view_versions'
const One = Type.Object({ id: Id })
const Ids = Type.Array(Id, { maxItems: 10_000 })
const VersionPart = Type.Integer({ minimum: 0, maximum: 1_000_000 })
const Forced = Type.Optional(Type.Boolean({ description: 'Also when it is not the next environment of a path' }))
const Regenerated = Type.Optional(Type.Boolean({ description: 'Without effect' }))

const task = { status: 202, reply: Task } as const

export const lifecycleEndpoints = {
  publish: endpoint({
    ...task,
    action: 'content_views.publish',
    method: 'POST',
    path: `${views}/{id}/publish`,
    summary: 'Publish the next version of a content view, in Library, as a task',
    tag: 'Content views',
    params: One,
    body: Type.Object({
      description: OptionalNullable(Description),
      major: OptionalNullable(VersionPart),
      minor: OptionalNullable(VersionPart),
      environment_ids: OptionalNullable(Ids),
      is_force_promote: Forced,
      force_yum_metadata_regeneration: Regenerated,
    }),
  }),
  removeFromEnvironment: endpoint({
    ...task,
    action: 'content_views.remove_from_environment',
    method: 'DELETE',
    path: `${views}/{id}/environments/{environment_id}`,
    summary: 'Take a content view out of an environment, as a task',
    tag: 'Content views',
    params: Type.Object({ id: Id, environment_id: Id }),
  }),
  remove: endpoint({
    ...task,
    action: 'content_views.remove',
    method: 'PUT',
    path: `${views}/{id}/remove`,
    summary: 'Take a content view out of environments, and delete versions of it, as a task',
    tag: 'Content views',
    params: One,
    body: Type.Object({ environment_ids: OptionalNullable(Ids), content_view_version_ids: OptionalNullable(Ids) }),
  }),
  deleteView: endpoint({
    ...task,
    action: 'content_views.destroy',
    method: 'DELETE',
    path: `${views}/{id}`,
    summary: 'Delete a content view that is in no environment, with its versions, as a task',
    tag: 'Content views',
    params: One,
  }),
  promote: endpoint({
    ...task,
    action: 'content_view_versions.promote',
    method: 'POST',
    path: `${versions}/{id}/promote`,
    summary: 'Show a version of a content view in environments, as a task',
    tag: 'Content view versions',
    params: One,
    body: Type.Object({
      environment_ids: Type.Array(Id, { minItems: 1, maxItems: 10_000 }),
      description: OptionalNullable(Description),
      force: Forced,
      force_yum_metadata_regeneration: Regenerated,
    }),
  }),
  deleteVersion: endpoint({
    ...task,
    action: 'content_view_versions.destroy',
    method: 'DELETE',
    path: `${versions}/{id}`,
    summary: 'Delete a version of a content view that is in no environment, as a task',
    tag: 'Content view versions',
    params: One,
  }),
  republish: endpoint({
    ...task,
    action: 'content_view_versions.republish_repositories',
    method: 'PUT',
    path: `${versions}/{id}/republish_repositories`,
    summary: 'Write the metadata of all repositories of a version anew, as a task',
    tag: 'Content view versions',
    params: One,
    body: Type.Object({ force: Type.Optional(Type.Boolean({ description: 'Without effect' })) }),
  }),
}
