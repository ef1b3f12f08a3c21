import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Id } from '../../platform/http/schemas.ts'
import { SearchQuery } from '../../platform/search/list-request.ts'

export const settingNames = ['content_default_http_proxy'] as const

const Setting = Type.Object({
  id: Type.Enum([...settingNames]),
  name: Type.Enum([...settingNames]),
  full_name: Type.String(),
  description: Type.String(),
  category: Type.String(),
  category_name: Type.String(),
  settings_type: Type.String(),
  value: Type.String({ description: 'The name of the proxy; empty when there is none' }),
  default: Type.String(),
  readonly: Type.Boolean(),
})

const base = '/api/settings'
const one = {
  path: `${base}/{id}`,
  status: 200,
  tag: 'Settings',
  params: Type.Object({ id: Type.String() }),
  reply: Setting,
} as const

export const settingEndpoints = {
  list: endpoint({
    action: 'settings.index',
    method: 'GET',
    path: base,
    status: 200,
    summary: 'List what administrators can set while the server runs',
    tag: 'Settings',
    query: Type.Object(SearchQuery),
  }),
  show: endpoint({ action: 'settings.show', ...one, method: 'GET', summary: 'Show a setting; for administrators' }),
  update: endpoint({
    action: 'settings.update',
    ...one,
    method: 'PUT',
    summary: 'Change a setting; for administrators',
    wrapper: 'setting',
    body: Type.Object({
      value: Type.Union([Type.String({ maxLength: 255 }), Id, Type.Null()], {
        description: 'The name or the id of an HTTP proxy; empty for none',
      }),
    }),
  }),
}
