import { type RawBuilder, sql } from 'kysely'
import type { HeldUnits } from '../../../unit-filter.ts'
import { advisoriesWithPackages, groupsWithPackages, isHeld, streamsWithPackages } from './held-units.ts'

/**
 * The condition that a unit, whose table is called u, is an advisory, a stream of a module or a group that names packages, of
 * which none is held.
 */
export function isIdle(held: HeldUnits): RawBuilder<boolean> {
  return sql`(
    (u.kind = 'erratum' and u.id in (select e.unit_id from erratum_units e where e.packages <> '[]')
      and u.id not in (select distinct e.unit_id from ${advisoriesWithPackages(held)} and ${isHeld(held)}))
    or (u.kind = 'modulemd' and u.id in (select d.unit_id from module_units d where d.artifacts <> '[]')
      and u.id not in (select distinct d.unit_id from ${streamsWithPackages(held)} and ${isHeld(held)}))
    or (u.kind = 'package_group' and u.id in (select g.unit_id from comps_units g where g.packages <> '[]')
      and u.id not in (select distinct g.unit_id from ${groupsWithPackages(held)} and ${isHeld(held)})))`
}
