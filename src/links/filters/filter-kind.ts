/**
 * What a filter is. One direction of a link runs frames through its filters like this:
 *
 *   frame -> judge -> judge -> ... -> depart -> ... -> leaves at that time
 *              |        |
 *            drop     drop
 *
 * A filter judges, or says when a frame departs, or both. Nothing here does I/O, sleeps or looks at a clock.
 */

/** What a filter's `judge` answers: how many copies of the frame go on. */
export type Verdict = 0 | 1

export const drop = 0
export const pass = 1

/** A random source: numbers in [0, 1). Each direction of a link has its own. */
export type Random = () => number

/** A filter at work in one direction of one link, with its own counters. */
export interface FrameFilter {
  /** Judges the frame at `offset`; may change its bytes in place, never its length. Allocates nothing. */
  judge?(bytes: Uint8Array, offset: number, length: number): Verdict

  /** The monotonic time in ms at which a frame of `length` bytes that is ready at `readyMs` leaves; never earlier. */
  depart?(readyMs: number, length: number): number
}

export interface IntParameter {
  readonly name: string
  readonly minimum: number
  readonly maximum: number
  /** The name clients know for "a number"; fractions are taken unless `whole`. */
  readonly type: 'int'
  readonly unit: string
  readonly whole?: true
}

export interface TextParameter {
  readonly name: string
  readonly type: 'text'
}

export type FilterParameter = IntParameter | TextParameter

export type FilterValue = number | string

/** Checked values of one filter, in the order of its parameters; trailing ones may be absent and are then zero. */
export type FilterValues = readonly FilterValue[]

/** The filters of a link by type: plain data, only what is in force, such as `{ delay: [20, 5] }`. */
export type FilterSet = Readonly<Record<string, FilterValues>>

/** What `create` works from: plain numbers that can be sent to a data thread. */
export type FilterSettings = readonly number[]

/** A kind of filter: its description, from which dialogs and checks are made, and how to make one. */
export interface FilterKind {
  readonly type: string
  readonly name: string
  readonly description: string
  readonly parameters: readonly FilterParameter[]

  /** Says what is missing on this machine for this filter to work; undefined when nothing is. */
  missing?(): string | undefined

  /**
   * Turns checked values into settings. All slow work belongs here, since `create` runs between two frames. Throws an
   * Error whose message explains what is wrong with the values.
   */
  prepare(values: FilterValues): FilterSettings

  create(settings: FilterSettings, random: Random): FrameFilter
}

/** The settings of a filter whose parameters are all numbers. */
export function numericSettings(values: FilterValues): FilterSettings {
  return values.map(Number)
}
