import { type RawBuilder, sql } from 'kysely'

const forEver = sql`2147483647`

/**
 * The condition that a row of `content_set_units`, which is called m, belongs to a version of its set: to the latest one
 * where the version is null.
 */
export function belongsTo(version: RawBuilder<unknown>): RawBuilder<boolean> {
  const number = sql`coalesce(${version}, ${forEver})`
  return sql`m.added_in <= ${number} and (m.removed_in is null or m.removed_in > ${number})`
}
