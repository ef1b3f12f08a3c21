import { type RawBuilder, sql } from 'kysely'
import { Type } from 'typebox'

/** What rules name things by. */
export const PatternText = Type.String({
  minLength: 1,
  maxLength: 255,
  description: '* stands for anything, ? for one character',
})

/** The condition that one of these holds; of none it is false. */
export function anyOf(conditions: readonly RawBuilder<unknown>[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql`false` : sql`(${sql.join(conditions, sql` or `)})`
}
