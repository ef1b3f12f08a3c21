import { type Route, route } from '../../platform/http/endpoint.ts'
import { indexBody } from '../../platform/http/paging.ts'
import { timestamp } from '../../platform/http/timestamps.ts'
import { listRequest } from '../../platform/search/list-request.ts'
import { httpProxyEndpoints as endpoints } from './http-proxy-contract.ts'
import type { HttpProxyService, HttpProxyView } from './http-proxy-service.ts'

export function httpProxyRoutes(proxies: HttpProxyService, now: () => number): Route[] {
  return [
    route(endpoints.list, async ({ actor, query: { organization_id: organizationId, ...query } }) => {
      const request = listRequest(query, now())
      const { rows, ...counts } = await proxies.listProxies(actor, organizationId, request)
      return indexBody(rows.map(present), { ...counts, ...request })
    }),
    route(endpoints.create, async ({ actor, body }) => present(await proxies.createProxy(actor, body))),
    route(endpoints.show, async ({ actor, params }) => present(await proxies.getProxy(actor, params.id))),
    route(endpoints.update, async ({ actor, params, body }) =>
      present(await proxies.updateProxy(actor, params.id, body)),
    ),
    route(endpoints.delete, async ({ actor, params }) => present(await proxies.deleteProxy(actor, params.id))),
  ]
}

/** There are no locations here; those that clients send are accepted and forgotten. */
function present({ proxy, organizations }: HttpProxyView): object {
  const { id, name, url, username, created_at, updated_at } = proxy
  return {
    id,
    name,
    url,
    username,
    locations: [],
    organizations: organizations.map((each) => ({ id: each.id, name: each.name, title: each.name, label: each.label })),
    created_at: timestamp(created_at),
    updated_at: timestamp(updated_at),
  }
}
