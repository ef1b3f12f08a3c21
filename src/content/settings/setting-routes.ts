import { type Route, route } from '../../platform/http/endpoint.ts'
import { indexBody } from '../../platform/http/paging.ts'
import { listRequest } from '../../platform/search/list-request.ts'
import { settingEndpoints as endpoints } from './setting-contract.ts'
import type { Setting, SettingService } from './setting-service.ts'

export function settingRoutes(settings: SettingService, now: () => number): Route[] {
  return [
    route(endpoints.list, async ({ actor, query }) => {
      const request = listRequest(query, now())
      const { rows, ...counts } = await settings.listSettings(actor, request)
      return indexBody(rows.map(present), { ...counts, ...request })
    }),
    route(endpoints.show, async ({ actor, params }) => present(await settings.getSetting(actor, params.id))),
    route(endpoints.update, async ({ actor, params, body }) =>
      present(await settings.updateSetting(actor, params.id, body.value)),
    ),
  ]
}

/** Clients address a setting by its id, which is its name here. */
function present({ name, value }: Setting): object {
  return {
    id: name,
    name,
    full_name: 'Default HTTP Proxy',
    description: 'The HTTP proxy of repositories whose policy is global_default_http_proxy',
    category: 'Setting::Content',
    category_name: 'Content',
    settings_type: 'string',
    value,
    default: '',
    readonly: false,
  }
}
