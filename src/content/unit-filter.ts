import type { RawBuilder } from 'kysely'
import type { TObject } from 'typebox'
import type { FieldMessages } from '../platform/errors.ts'

/** A set of units as it is or was. */
export interface HeldUnits {
  readonly setId: number
  readonly version: number
}

export type AttributeValues = Readonly<Record<string, unknown>>

/** A way to choose which units a content view publishes. */
export interface UnitFilterKind {
  /** The word for it where filters are made. */
  readonly name: string
  /** What a rule says of units. */
  readonly rule: TObject
  /** What is wrong with a rule that has the right shape. */
  checkRule?(rule: AttributeValues): FieldMessages
  /** Values that follow from a rule, for answers. */
  derive?(rule: AttributeValues): AttributeValues
  /** What else may be said of such a filter, with a description: each is off unless it is on, and widens what the filter names. */
  readonly options?: Readonly<Record<string, string>>
  readonly effects: readonly FilterEffect[]
}

/** Units that filters decide about together: where filters of inclusion do, one of them must name such a unit. */
export interface FilterScope {
  /** The condition that it is such a unit; it is in these units, and the table is called u. */
  holds(source: HeldUnits): RawBuilder<boolean>
}

/** What filters of a kind say of the units of a scope. */
export interface FilterEffect {
  readonly scope: FilterScope
  /** Which filters say this; both unless said. */
  readonly only?: 'inclusion' | 'exclusion'
  /** The condition that a filter names a unit; it is in these units, and the table is called u. */
  names(filter: FilterWords, source: HeldUnits): RawBuilder<boolean>
}

/** What was said of a filter. */
export interface FilterWords {
  readonly rules: readonly AttributeValues[]
  /** Those of its kind's options that are on. */
  readonly options: readonly string[]
}
