import { type Kysely, sql } from 'kysely'
import type { StoredUnit } from '../../../content-type.ts'
import type { TreeUnit } from './tree-unit.ts'

/** Adds the rows of trees that are new to the database. */
export async function saveTrees(db: Kysely<unknown>, units: readonly StoredUnit<TreeUnit>[]): Promise<void> {
  const column = <T>(value: (unit: TreeUnit) => T) => units.map(({ unit }) => value(unit))
  await sql`
    insert into distribution_units (unit_id, name, family, version, arch, variant, is_bootable)
    select * from unnest(
      ${units.map(({ id }) => id)}::bigint[], ${column(({ name }) => name)}::text[], ${column(({ family }) => family)}::text[],
      ${column(({ version }) => version)}::text[], ${column(({ arch }) => arch)}::text[],
      ${column(({ variant }) => variant)}::text[], ${column(({ isBootable }) => isBootable)}::boolean[])
    on conflict (unit_id) do nothing`.execute(db)
}
