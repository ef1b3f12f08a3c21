import { type RawBuilder, sql } from 'kysely'
import type { FilterScope, HeldUnits } from '../../../unit-filter.ts'
import { streamsWithPackages } from './held-units.ts'

/**
 * Packages that belong to no module. Source packages are in no scope: who publishes packages publishes the sources of what they
 * are made of.
 */
export const plainPackages: FilterScope = { holds: (source) => sql`(u.kind = 'rpm' and not ${isModular(source)})` }

/** Packages that belong to modules: which of them there are is decided by streams and advisories alone. */
export const modularPackages: FilterScope = { holds: (source) => sql`(u.kind = 'rpm' and ${isModular(source)})` }

export const moduleStreams: FilterScope = { holds: () => sql`(u.kind = 'modulemd')` }
export const advisories: FilterScope = { holds: () => sql`(u.kind = 'erratum')` }
export const packageGroups: FilterScope = { holds: () => sql`(u.kind = 'package_group')` }

function isModular(source: HeldUnits): RawBuilder<boolean> {
  return sql`u.id in (select distinct r.unit_id from ${streamsWithPackages(source)})`
}
