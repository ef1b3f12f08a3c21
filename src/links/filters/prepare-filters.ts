import type { FilterSet, FilterSettings } from './filter-kind.ts'
import { filterKinds } from './filter-kinds.ts'

/** One filter ready to be made, as plain data. */
export interface PreparedFilter {
  readonly type: string
  readonly settings: FilterSettings
}

/** Does the slow part of making a checked set's filters, and puts them into the order in which frames meet them. */
export function prepareFilters(filters: FilterSet): PreparedFilter[] {
  const prepared: PreparedFilter[] = []
  for (const kind of filterKinds) {
    const values = filters[kind.type]
    if (values !== undefined) prepared.push({ type: kind.type, settings: kind.prepare(values) })
  }
  return prepared
}
