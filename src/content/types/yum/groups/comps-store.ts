import { type Kysely, sql } from 'kysely'
import { storableJson } from '../../../../platform/db/storable.ts'
import type { StoredUnit } from '../../../content-type.ts'
import { type CompsUnit, compsElements } from './comps-unit.ts'

type Db = Kysely<unknown>

/** Adds the rows of groups that are new to the database. */
export async function saveCompsUnits(db: Db, units: readonly StoredUnit<CompsUnit>[]): Promise<void> {
  const column = (value: (unit: CompsUnit) => string) => units.map(({ unit }) => value(unit))
  await sql`
    insert into comps_units (unit_id, element, group_id, name, description, packages, source)
    select * from unnest(
      ${units.map(({ id }) => id)}::bigint[], ${column(({ element }) => element)}::text[],
      ${column(({ groupId }) => groupId)}::text[], ${column(({ name }) => name)}::text[],
      ${column(({ description }) => description)}::text[],
      ${column(({ packages }) => storableJson(packages))}::jsonb[], ${column(({ source }) => source)}::text[])
    on conflict (unit_id) do nothing`.execute(db)
}

/** The elements that a set version holds, in the order in which they are published; of several of one id the latest. */
export async function listCompsSources(
  db: Db,
  { setId, version }: { readonly setId: number; readonly version: number },
): Promise<string[]> {
  const { rows } = await sql<{ source: string }>`
    select source from (
      select distinct on (c.element, c.group_id) c.element, c.group_id, c.source
      from content_set_units m join comps_units c on c.unit_id = m.unit_id
      where m.set_id = ${setId} and m.added_in <= ${version} and (m.removed_in is null or m.removed_in > ${version})
      order by c.element, c.group_id, m.added_in desc, m.unit_id desc
    ) as latest
    order by array_position(${[...compsElements]}::text[], element), group_id`.execute(db)
  return rows.map(({ source }) => source)
}
