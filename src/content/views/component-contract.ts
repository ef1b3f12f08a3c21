import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Id, OptionalNullable } from '../../platform/http/schemas.ts'

const tag = 'Content views'
const components = '/content/api/content_views/{composite_content_view_id}/content_view_components'
const OfComposite = Type.Object({ composite_content_view_id: Id })
const OneComponent = Type.Object({ composite_content_view_id: Id, id: Id })
const isLatest = OptionalNullable(Type.Boolean({ description: 'Always the latest version, in place of a named one' }))

const Component = Type.Object({ id: Id, latest: Type.Boolean() })

export const componentEndpoints = {
  list: endpoint({
    action: 'content_view_components.index',
    method: 'GET',
    path: components,
    status: 200,
    summary: 'List what a composite view is made of',
    tag,
    params: OfComposite,
  }),
  show: endpoint({
    action: 'content_view_components.show',
    method: 'GET',
    path: `${components}/{id}`,
    status: 200,
    summary: 'Show a component of a composite view',
    tag,
    params: OneComponent,
    reply: Component,
  }),
  update: endpoint({
    action: 'content_view_components.update',
    method: 'PUT',
    path: `${components}/{id}`,
    status: 200,
    summary: 'Change which version of a view is a component',
    tag,
    params: OneComponent,
    body: Type.Object({ content_view_version_id: OptionalNullable(Id), latest: isLatest }),
    reply: Component,
  }),
  add: endpoint({
    action: 'content_view_components.add_components',
    method: 'PUT',
    path: `${components}/add`,
    status: 200,
    summary: 'Add components to a composite view',
    tag,
    params: OfComposite,
    body: Type.Object({
      components: Type.Array(
        Type.Object({
          content_view_id: OptionalNullable(Id),
          content_view_version_id: OptionalNullable(Id),
          latest: isLatest,
        }),
        { minItems: 1, maxItems: 10_000 },
      ),
    }),
  }),
  remove: endpoint({
    action: 'content_view_components.remove_components',
    method: 'PUT',
    path: `${components}/remove`,
    status: 200,
    summary: 'Take components out of a composite view',
    tag,
    params: OfComposite,
    body: Type.Object({ component_ids: Type.Array(Id, { minItems: 1, maxItems: 10_000 }) }),
  }),
}
