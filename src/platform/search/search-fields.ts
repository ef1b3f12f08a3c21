import type { RawBuilder } from 'kysely'
import { unsearchable } from './search-error.ts'

type Condition = RawBuilder<boolean>

/** Something that a list can be searched and ordered by. */
export interface SearchField {
  /** What it is called; the first is the one that messages show. */
  readonly names: readonly [string, ...string[]]
  /** Of a `choice` the values are known; a choice of `true` and `false` may stand alone for being true. */
  readonly type: 'string' | 'integer' | 'boolean' | 'date' | 'choice'
  /** What a choice's words stand for in the database. */
  readonly choices?: ReadonlyMap<string, unknown>
  readonly expression: RawBuilder<unknown>
  /** Free text does not look here. Booleans and choices never take part in it. */
  readonly isExplicitOnly?: boolean
  /**
   * Where a row has many of it: the condition that one of them, to which `expression` belongs, is as wanted. The list cannot
   * be ordered by such a field.
   */
  readonly some?: (isWanted: Condition) => Condition
  /** Where text has an order of its own, such as versions: what to compare and to order by. */
  readonly rank?: { readonly expression: RawBuilder<unknown>; of(value: string): RawBuilder<unknown> }
}

/** What a list can be searched by, and how it is ordered when nobody says. */
export interface Searchable {
  readonly fields: readonly SearchField[]
  readonly order: { readonly by: string; readonly direction: 'asc' | 'desc' }
  /** Differs between all rows; decides where the order leaves it open, the greatest first. */
  readonly id: RawBuilder<unknown>
}

/** @throws AppError `unsearchable` that names the fields that there are */
export function getField(fields: readonly SearchField[], name: string): SearchField {
  const found = findField(fields, name)
  if (found !== undefined) return found
  const known = fields.map(({ names }) => names[0]).sort()
  throw unsearchable(`there is no field "${name.slice(0, 100)}"; the fields are ${known.join(', ')}`)
}

export function findField(fields: readonly SearchField[], name: string): SearchField | undefined {
  const wanted = name.toLowerCase()
  return fields.find(({ names }) => names.includes(wanted))
}
