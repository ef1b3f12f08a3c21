import { type Route, route } from '../../platform/http/endpoint.ts'
import { pageOf } from '../../platform/http/paging.ts'
import { indexBody } from '../index-body.ts'
import { componentEndpoints as endpoints } from './component-contract.ts'
import type { ComponentService } from './component-service.ts'
import type { ComponentRecord } from './component-store.ts'
import { presentComponent } from './view-presenter.ts'

export function componentRoutes(components: ComponentService): Route[] {
  return [
    route(endpoints.list, async ({ actor, params }) =>
      present(await components.listComponents(actor, params.composite_content_view_id)),
    ),
    route(endpoints.show, async ({ actor, params: { composite_content_view_id: compositeId, id } }) =>
      presentComponent(await components.getComponent(actor, compositeId, id)),
    ),
    route(endpoints.update, async ({ actor, params: { composite_content_view_id: compositeId, id }, body }) =>
      presentComponent(
        await components.updateComponent(
          actor,
          { compositeId, id },
          { versionId: body.content_view_version_id ?? undefined, isLatest: body.latest ?? undefined },
        ),
      ),
    ),
    route(endpoints.add, async ({ actor, params, body }) => {
      const requests = body.components.map((component) => ({
        viewId: component.content_view_id ?? undefined,
        versionId: component.content_view_version_id ?? undefined,
        isLatest: component.latest ?? undefined,
      }))
      return present(await components.addComponents(actor, params.composite_content_view_id, requests))
    }),
    route(endpoints.remove, async ({ actor, params, body }) =>
      present(await components.removeComponents(actor, params.composite_content_view_id, body.component_ids)),
    ),
  ]
}

function present(components: readonly ComponentRecord[]): object {
  const facts = { total: components.length, page: pageOf({ full_result: true }) }
  return indexBody(components.map(presentComponent), facts, { by: 'id', direction: 'asc' })
}
