import { type RawBuilder, sql } from 'kysely'
import type { ContentType } from '../content-type.ts'
import type { FilterEffect, FilterScope, HeldUnits } from '../unit-filter.ts'
import type { ViewFilter } from './filter-store.ts'

type Condition = RawBuilder<boolean>

/** The filters of a view that are for a repository in Library of this type. */
export function filtersFor(filters: readonly ViewFilter[], type: ContentType, repositoryId: number): ViewFilter[] {
  return filters.filter(
    ({ type: name, repository_ids: ids }) =>
      type.filters?.some((kind) => kind.name === name) === true && (ids.length === 0 || ids.includes(repositoryId)),
  )
}

/** What one filter says of the units of one scope. */
interface Say {
  readonly filter: ViewFilter
  readonly effect: FilterEffect
}

/**
 * The condition that a unit of these, whose table is called u, passes filters: of each scope that filters of inclusion are about
 * it must be named by one of them, and by none of exclusion. What no filter is about passes.
 */
export function passesFilters(filters: readonly ViewFilter[], type: ContentType, source: HeldUnits): Condition {
  const says = (type.filters ?? []).flatMap(({ name, effects }) =>
    filters.filter((filter) => filter.type === name).flatMap((filter) => effects.map((effect) => ({ filter, effect }))),
  )
  const scopes = Map.groupBy(says, ({ effect }) => effect.scope)
  const conditions = [...scopes].map(([scope, ours]) => passesScope(scope, ours, source))
  return conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` and `)})`
}

function passesScope(scope: FilterScope, says: readonly Say[], source: HeldUnits): Condition {
  const including = says.filter(({ filter, effect }) => filter.is_inclusion && effect.only !== 'exclusion')
  const excluding = says.filter(({ filter, effect }) => !filter.is_inclusion && effect.only !== 'inclusion')
  const isIncluded = including.length === 0 ? sql`true` : isNamed(including, source)
  return sql`(not ${scope.holds(source)} or (${isIncluded} and not ${isNamed(excluding, source)}))`
}

function isNamed(says: readonly Say[], source: HeldUnits): Condition {
  const names = says.flatMap(({ filter: { rules, options }, effect }) => {
    const words = { rules: rules.map(({ attributes }) => attributes), options }
    return rules.length + options.length === 0 ? [] : [sql`coalesce(${effect.names(words, source)}, false)`]
  })
  return names.length === 0 ? sql`false` : sql`(${sql.join(names, sql` or `)})`
}
