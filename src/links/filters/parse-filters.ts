import { AppError, messageOf } from '../../platform/errors.ts'
import type { FilterKind, FilterParameter, FilterSet, FilterValue, FilterValues, IntParameter } from './filter-kind.ts'
import { filterKinds } from './filter-kinds.ts'

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)$/

/**
 * Checks a whole set of filters as a client sends it and gives what is in force, in the order in which frames meet
 * the filters. A filter whose first value is zero or blank, or that has no values, is off and left out. Numbers may be
 * fractions or text. Throws `invalid` that names every bad filter, or `conflict` when this machine lacks what a filter
 * needs.
 */
export function parseFilters(input: unknown, kinds: readonly FilterKind[] = filterKinds): FilterSet {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw refusal(['must be an object of filter types and their values'])
  }

  const parsed = new Map<string, FilterValues>()
  const problems: string[] = []
  for (const [type, values] of Object.entries(input)) {
    const kind = kinds.find((known) => known.type === type)
    const found = kind === undefined ? unknownKind(kinds) : parseFilter(kind, values)
    if (typeof found === 'string') problems.push(`"${type}" ${found}`)
    else if (!isOff(found)) parsed.set(type, found)
  }
  if (problems.length > 0) throw refusal(problems)

  return inOrder(parsed, kinds)
}

function unknownKind(kinds: readonly FilterKind[]): string {
  return `is not a filter: there are ${kinds.map((kind) => kind.type).join(', ')}`
}

/** Gives the checked values, or what is wrong with them. */
function parseFilter(kind: FilterKind, input: unknown): FilterValues | string {
  if (!Array.isArray(input)) return 'must have a list of values'
  if (input.length > kind.parameters.length) {
    return `takes at most ${kind.parameters.length} value(s), not ${input.length}`
  }
  if (isBlank(input)) return []

  const values: FilterValue[] = []
  for (const [index, parameter] of kind.parameters.slice(0, input.length).entries()) {
    const value = parseValue(parameter, input[index])
    if (value === undefined) return explain(parameter, input[index])
    values.push(value)
  }
  return isOff(values) ? values : prepareable(kind, values)
}

/** Preparing is the check that ranges cannot make: a text may not compile. */
function prepareable(kind: FilterKind, values: FilterValues): FilterValues | string {
  const missing = kind.missing?.()
  if (missing !== undefined) throw new AppError('conflict', `Cannot use filter "${kind.type}": ${missing}`)
  try {
    kind.prepare(values)
    return values
  } catch (error) {
    return `is not usable: ${messageOf(error)}`
  }
}

function parseValue(parameter: FilterParameter, input: unknown): FilterValue | undefined {
  if (parameter.type === 'text') return typeof input === 'string' ? input.trim() : undefined
  const value = parseNumber(input)
  return value !== undefined && isInRange(parameter, value) ? value : undefined
}

function parseNumber(input: unknown): number | undefined {
  if (typeof input === 'number') return Number.isFinite(input) ? input : undefined
  if (typeof input !== 'string' || !decimal.test(input.trim())) return undefined
  return Number(input)
}

function isInRange({ minimum, maximum, whole }: IntParameter, value: number): boolean {
  return value >= minimum && value <= maximum && (whole !== true || Number.isInteger(value))
}

function explain(parameter: FilterParameter, input: unknown): string {
  const got = JSON.stringify(input) ?? typeof input
  if (parameter.type === 'text') return `must have text as "${parameter.name}", not ${got}`
  const number = parameter.whole === true ? 'a whole number' : 'a number'
  return `must have ${number} from ${parameter.minimum} to ${parameter.maximum} as "${parameter.name}", not ${got}`
}

function isBlank(values: readonly unknown[]): boolean {
  const first = values[0]
  return values.length === 0 || (typeof first === 'string' && first.trim() === '')
}

function isOff(values: FilterValues): boolean {
  return isBlank(values) || values[0] === 0
}

function inOrder(parsed: ReadonlyMap<string, FilterValues>, kinds: readonly FilterKind[]): FilterSet {
  const set: Record<string, FilterValues> = {}
  for (const { type } of kinds) {
    const values = parsed.get(type)
    if (values !== undefined) set[type] = values
  }
  return set
}

function refusal(problems: readonly string[]): AppError {
  return new AppError('invalid', `Cannot set filters: ${problems.join('; ')}`, { fields: { filters: problems } })
}
