import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Id, Nullable, OptionalNullable } from '../../platform/http/schemas.ts'
import { SearchQuery } from '../../platform/search/list-request.ts'
import { Name } from '../contract-parts.ts'

const Named = Type.Object({ id: Id, name: Type.String(), title: Type.String() })

const HttpProxy = Type.Object({
  id: Id,
  name: Type.String(),
  url: Type.String(),
  username: Nullable(Type.String()),
  organizations: Type.Array(Named),
  locations: Type.Array(Named),
  created_at: Type.String(),
  updated_at: Type.String(),
})

const Url = Type.String({ minLength: 1, maxLength: 1024, description: 'http or https, without user and password' })
const Ids = Type.Array(Id, { maxItems: 10_000 })
const login = {
  username: OptionalNullable(Type.String({ maxLength: 255 })),
  password: OptionalNullable(Type.String({ maxLength: 1000, description: 'Never shown again' })),
}
const places = {
  organization_ids: OptionalNullable(
    Type.Array(Id, { maxItems: 10_000, description: 'Who may use it; none means every organization' }),
  ),
  location_ids: OptionalNullable(Ids),
}

const base = '/api/http_proxies'
const tag = 'HTTP proxies'
const one = { path: `${base}/{id}`, status: 200, tag, params: Type.Object({ id: Id }), reply: HttpProxy } as const

export const httpProxyEndpoints = {
  list: endpoint({
    action: 'http_proxies.index',
    method: 'GET',
    path: base,
    status: 200,
    summary: 'List the HTTP proxies that upstreams can be asked through',
    tag,
    query: Type.Object({ ...SearchQuery, organization_id: Type.Optional(Id) }),
  }),
  create: endpoint({
    action: 'http_proxies.create',
    method: 'POST',
    path: base,
    status: 201,
    summary: 'Add an HTTP proxy; for administrators',
    tag,
    wrapper: 'http_proxy',
    body: Type.Object({ name: Name, url: Url, ...login, ...places }),
    reply: HttpProxy,
  }),
  show: endpoint({ action: 'http_proxies.show', ...one, method: 'GET', summary: 'Show an HTTP proxy' }),
  update: endpoint({
    action: 'http_proxies.update',
    ...one,
    method: 'PUT',
    summary: 'Change an HTTP proxy; for administrators',
    wrapper: 'http_proxy',
    body: Type.Object({ name: Type.Optional(Name), url: Type.Optional(Url), ...login, ...places }),
  }),
  delete: endpoint({
    action: 'http_proxies.destroy',
    ...one,
    method: 'DELETE',
    summary: 'Delete an HTTP proxy that nothing uses; for administrators',
  }),
}
