import type { Actor } from '../../platform/auth/actor.ts'
import { type Route, route } from '../../platform/http/endpoint.ts'
import { timestamp } from '../../platform/http/timestamps.ts'
import type { SearchRequest } from '../../platform/search/list-request.ts'
import { answerList } from '../answer-list.ts'
import { filterEndpoints as endpoints } from './filter-contract.ts'
import { derivedOf, type FilterService, optionsOf } from './filter-service.ts'
import type { FilterRule, ViewFilter } from './filter-store.ts'

/** What a filter is asked to be, in the words of the interface. */
interface FilterBody {
  readonly name?: string
  readonly description?: string | null
  readonly inclusion?: boolean
  readonly repository_ids?: readonly number[] | null
}

export function filterRoutes(filters: FilterService, now: () => number): Route[] {
  return [...routesOfFilters(filters, now), ...routesOfRules(filters, now)]
}

function routesOfFilters(filters: FilterService, now: () => number): Route[] {
  const list = (actor: Actor, viewId: number, query: SearchRequest & { readonly name?: string }) =>
    answerList(query, { now: now() }, async (request) => {
      const { rows, ...counts } = await filters.listFilters(actor, { viewId, name: query.name }, request)
      return { rows: rows.map(present), ...counts }
    })
  return [
    route(endpoints.list, ({ actor, query }) => list(actor, query.content_view_id, query)),
    route(endpoints.listOfView, ({ actor, params, query }) => list(actor, params.content_view_id, query)),
    route(endpoints.create, async ({ actor, body: { content_view_id: viewId, name, type, ...rest } }) =>
      present(await filters.createFilter(actor, viewId, { ...changeOf(rest), name, type })),
    ),
    route(endpoints.createInView, async ({ actor, params, body: { name, type, ...rest } }) =>
      present(await filters.createFilter(actor, params.content_view_id, { ...changeOf(rest), name, type })),
    ),
    route(endpoints.show, async ({ actor, params }) => present(await filters.getFilter(actor, params.id))),
    route(endpoints.showInView, async ({ actor, params }) =>
      present(await filters.getFilter(actor, params.id, params.content_view_id)),
    ),
    route(endpoints.update, async ({ actor, params, body }) =>
      present(await filters.updateFilter(actor, params.id, changeOf(body))),
    ),
    route(endpoints.updateInView, async ({ actor, params, body }) =>
      present(await filters.updateFilter(actor, params.id, { ...changeOf(body), viewId: params.content_view_id })),
    ),
    route(endpoints.delete, async ({ actor, params }) => present(await filters.deleteFilter(actor, params.id))),
    route(endpoints.deleteInView, async ({ actor, params }) =>
      present(await filters.deleteFilter(actor, params.id, params.content_view_id)),
    ),
  ]
}

function routesOfRules(filters: FilterService, now: () => number): Route[] {
  const keyOf = ({ content_view_filter_id: filterId, id }: { content_view_filter_id: number; id: number }) => ({
    filterId,
    id,
  })
  return [
    route(endpoints.listRules, ({ actor, params, query }) =>
      answerList(query, { now: now(), order: { by: 'id', direction: 'asc' } }, async (request) => {
        const wanted = { filterId: params.content_view_filter_id, name: query.name, errata_id: query.errata_id }
        const { rows, ...counts } = await filters.listRules(actor, wanted, request)
        return { rows: rows.map(presentRule), ...counts }
      }),
    ),
    route(endpoints.createRule, async ({ actor, params, body }) =>
      presentRule(await filters.createRule(actor, params.content_view_filter_id, body)),
    ),
    route(endpoints.showRule, async ({ actor, params }) => presentRule(await filters.getRule(actor, keyOf(params)))),
    route(endpoints.updateRule, async ({ actor, params, body }) =>
      presentRule(await filters.updateRule(actor, keyOf(params), body)),
    ),
    route(endpoints.deleteRule, async ({ actor, params }) =>
      presentRule(await filters.deleteRule(actor, keyOf(params))),
    ),
  ]
}

function changeOf({ name, description, inclusion, repository_ids: repositoryIds, ...options }: FilterBody) {
  return { name, description, isInclusion: inclusion, repositoryIds, options: options as Record<string, boolean> }
}

function present(filter: ViewFilter): object {
  const { id, name, description, type, is_inclusion: inclusion, view_id: viewId, rules, repository_ids } = filter
  const options = optionsOf(type).map((option) => [option, filter.options.includes(option)])
  return {
    id,
    name,
    description,
    type,
    inclusion,
    content_view: { id: viewId },
    repositories: repository_ids.map((repository) => ({ id: repository })),
    rules: rules.map(presentRule),
    ...Object.fromEntries(options),
    created_at: timestamp(filter.created_at),
    updated_at: timestamp(filter.updated_at),
  }
}

function presentRule(rule: FilterRule): object {
  return { id: rule.id, ...rule.attributes, ...derivedOf(rule) }
}
