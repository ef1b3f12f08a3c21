import { type RawBuilder, sql } from 'kysely'
import type { ContentType, UnitFilterKind } from '../content-type.ts'
import type { ViewFilter } from './filter-store.ts'

type Condition = RawBuilder<boolean>

/** The filters of a view that are for a repository in Library of this type. */
export function filtersFor(filters: readonly ViewFilter[], type: ContentType, repositoryId: number): ViewFilter[] {
  return filters.filter(
    ({ type: name, repository_ids: ids }) =>
      type.filters?.some((kind) => kind.name === name) === true && (ids.length === 0 || ids.includes(repositoryId)),
  )
}

/**
 * The condition that a unit, whose table is called u, passes filters: of each kind that filters of inclusion are about it
 * must be named by one of them, and by none of exclusion. Kinds that no filter is about pass.
 */
export function passesFilters(filters: readonly ViewFilter[], type: ContentType): Condition {
  const kinds = new Set((type.filters ?? []).map(({ kind }) => kind))
  const conditions = [...kinds].map((kind) => {
    const ways = (type.filters ?? []).filter((way) => way.kind === kind)
    const ours = filters.filter(({ type: name }) => ways.some((way) => way.name === name))
    return ours.length === 0
      ? sql<boolean>`true`
      : sql<boolean>`(u.kind <> ${kind} or exists ${passing(ours, type, ways)})`
  })
  return conditions.length === 0 ? sql`true` : sql`${sql.join(conditions, sql` and `)}`
}

function passing(
  filters: readonly ViewFilter[],
  type: ContentType,
  ways: readonly UnitFilterKind[],
): RawBuilder<unknown> {
  const table = type.unitKinds.find(({ kind }) => kind === ways[0]?.kind)?.list?.table as string
  const named = (isInclusion: boolean) => filters.filter(({ is_inclusion }) => is_inclusion === isInclusion)
  const isIncluded = named(true).length === 0 ? sql`true` : isNamed(named(true), ways)
  const isExcluded = isNamed(named(false), ways)
  return sql`(select 1 from ${sql.table(table)} unit where unit.unit_id = u.id and ${isIncluded} and not ${isExcluded})`
}

function isNamed(filters: readonly ViewFilter[], ways: readonly UnitFilterKind[]): Condition {
  const rules = filters.flatMap(({ type, rules: own }) => {
    const way = ways.find(({ name }) => name === type) as UnitFilterKind
    return own.map(({ attributes }) => sql`(${way.matches(attributes)})`)
  })
  return rules.length === 0 ? sql`false` : sql`(${sql.join(rules, sql` or `)})`
}
