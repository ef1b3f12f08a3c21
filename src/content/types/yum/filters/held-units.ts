import { type RawBuilder, sql } from 'kysely'
import type { HeldUnits } from '../../../unit-filter.ts'

type Part = RawBuilder<unknown>

/** The ids of all units that are held. */
function heldIds({ setId, version }: HeldUnits): Part {
  return sql`select m.unit_id from content_set_units m
    where m.set_id = ${setId} and m.added_in <= ${version}::integer and (m.removed_in is null or m.removed_in > ${version}::integer)`
}

/**
 * The condition that a package, as a row r, is held; each is looked up by itself. The database knows nothing of a set that was just
 * made, and would else begin with all that it holds.
 */
export function isHeld({ setId, version }: HeldUnits): RawBuilder<boolean> {
  return sql`exists (select 1 from content_set_units m where m.set_id = ${setId} and m.unit_id = r.unit_id
    and m.added_in <= ${version}::integer and (m.removed_in is null or m.removed_in > ${version}::integer) offset 0)`
}

/** From these: advisories with the packages they name, as rows e and r; all that is about the former may be asked of e. */
export function advisoriesWithPackages(held: HeldUnits): Part {
  return sql`erratum_units e
    cross join lateral jsonb_array_elements(e.packages) as item
    join rpm_units r on r.filename = ${fileNameOf(sql`item ->> 'nevra'`)} and r.arch not in ('src', 'nosrc')
    where e.unit_id in (${heldIds(held)})`
}

/** The same with streams of modules, as rows d. */
export function streamsWithPackages(held: HeldUnits): Part {
  return sql`module_units d
    cross join lateral jsonb_array_elements_text(d.artifacts) as artifact
    join rpm_units r on r.filename = ${fileNameOf(sql`artifact`)} and r.arch not in ('src', 'nosrc')
    where d.unit_id in (${heldIds(held)})`
}

/** The same with groups, as rows g. They name packages of any version and architecture. */
export function groupsWithPackages(held: HeldUnits): Part {
  return sql`comps_units g
    cross join lateral jsonb_array_elements_text(g.packages) as named
    join rpm_units r on r.name = named and r.arch not in ('src', 'nosrc')
    where g.unit_id in (${heldIds(held)})`
}

/** Advisories and modules write the epoch of a package, or not, as they like; names of files never have one. */
function fileNameOf(nevra: Part): Part {
  return sql`regexp_replace(${nevra}, '-[0-9]+:(?=[^-]+-[^-]+$)', '-') || '.rpm'`
}
