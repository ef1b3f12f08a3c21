import type { Actor } from '../../platform/auth/actor.ts'
import { type Route, route } from '../../platform/http/endpoint.ts'
import type { SearchRequest } from '../../platform/search/list-request.ts'
import { answerList } from '../answer-list.ts'
import type { ContentType } from '../content-type.ts'
import { unitEndpoints } from './unit-contract.ts'
import { type Comparison, type ListedKind, type UnitRow, unitHref } from './unit-list-store.ts'
import type { SingleUnit, UnitService } from './unit-service.ts'

/** What lists of units are asked by. */
interface ListParameters extends SearchRequest {
  readonly repository_id?: number
  readonly organization_id?: number
  readonly environment_id?: number
  readonly content_view_version_id?: number
  readonly ids?: readonly number[]
}

/** The lists of all kinds of units that can be listed. */
export function unitRoutes(units: UnitService, types: Iterable<ContentType>, now: () => number): Route[] {
  return [...types]
    .flatMap(({ unitKinds }) => unitKinds)
    .filter((kind): kind is ListedKind => kind.list !== undefined)
    .flatMap((kind) => routesOf(kind, units, now))
}

function routesOf(kind: ListedKind, units: UnitService, now: () => number): Route[] {
  const endpoints = unitEndpoints(kind.list.path)
  const present = (row: UnitRow) => presentUnit(kind, row)
  const presentInFull = ({ row, details }: SingleUnit) => ({ ...present(row), ...details })
  const list = (actor: Actor, parameters: ListParameters) =>
    answerList(parameters, { now: now(), order: kind.list.order }, async (request) => {
      const { rows, ...counts } = await units.listUnits(actor, kind, { filter: filterOf(parameters), request })
      return { rows: rows.map(present), ...counts }
    })
  return [
    route(endpoints.list, ({ actor, query }) => list(actor, query)),
    route(endpoints.listOfRepository, ({ actor, query, params }) => list(actor, { ...query, ...params })),
    route(endpoints.compare, ({ actor, query }) =>
      answerList(query, { now: now(), order: kind.list.order }, async (request) => {
        const { rows, ...counts } = await units.compareUnits(actor, kind, { comparison: comparisonOf(query), request })
        return {
          rows: rows.map(({ row, viewVersionIds }) => ({ ...present(row), comparison: viewVersionIds })),
          ...counts,
        }
      }),
    ),
    route(endpoints.show, async ({ actor, params }) => presentInFull(await units.getUnit(actor, kind, params))),
    route(endpoints.showInRepository, async ({ actor, params: { id, repository_id: repositoryId } }) =>
      presentInFull(await units.getUnit(actor, kind, { id, repositoryId })),
    ),
  ]
}

function filterOf(parameters: ListParameters) {
  return {
    repositoryId: parameters.repository_id,
    organizationId: parameters.organization_id,
    environmentId: parameters.environment_id,
    viewVersionId: parameters.content_view_version_id,
    ids: parameters.ids,
  }
}

function comparisonOf(query: {
  readonly content_view_version_ids: readonly number[]
  readonly repository_id?: number
  readonly restrict_comparison?: 'all' | 'same' | 'different'
}): Comparison {
  const { restrict_comparison: restriction = 'all' } = query
  return {
    viewVersionIds: query.content_view_version_ids,
    libraryId: query.repository_id,
    isInAll: restriction === 'all' ? undefined : restriction === 'same',
  }
}

function presentUnit({ list }: ListedKind, row: UnitRow): object {
  const href = unitHref(row.unit_id)
  return { id: row.unit_id, pulp_id: href, uuid: href, ...list.present(row) }
}
