import { type RawBuilder, sql } from 'kysely'
import { parseDate } from './parse-date.ts'
import { unsearchable } from './search-error.ts'
import type { SearchField } from './search-fields.ts'
import type { ComparisonOperator } from './tokens.ts'

export type Condition = RawBuilder<boolean>

/** A comparison of one value of a field; null where the field is. */
export interface Comparison {
  readonly operator: ComparisonOperator
  readonly values: readonly string[]
}

/** @throws AppError `unsearchable` when the field cannot be compared so */
export function fieldCondition(field: SearchField, comparison: Comparison, now: number): Condition {
  const condition = ownCondition(field, comparison, now)
  return field.some === undefined ? condition : field.some(condition)
}

function ownCondition(field: SearchField, comparison: Comparison, now: number): Condition {
  switch (field.type) {
    case 'string':
      return stringCondition(field, comparison)
    case 'integer':
      return integerCondition(field, comparison)
    case 'date':
      return dateCondition(field, comparison, now)
    case 'boolean':
      return choiceCondition(field, comparison, booleans)
    case 'choice':
      return choiceCondition(field, comparison, field.choices ?? new Map())
  }
}

/** Whether a comparison that names no field can be meant for this one. */
export function takesPart(field: SearchField, { operator, values }: Comparison, now: number): boolean {
  const isPattern = operator === '~' || operator === '!~'
  switch (field.type) {
    case 'string':
      return true
    case 'integer':
      return !isPattern && values.every(isInteger)
    case 'date':
      return !isPattern && values.every((value) => parseDate(value, now) !== undefined)
    default:
      return false
  }
}

function stringCondition({ expression, rank }: SearchField, { operator, values }: Comparison): Condition {
  const [value = ''] = values
  switch (operator) {
    case '=':
      return sql`${expression} = ${value}::text`
    case '!=':
      return sql`${expression} <> ${value}::text`
    // the columns' own collation folds ASCII alone
    case '~':
      return sql`(${expression})::text collate "default" ilike ${likePattern(value)}`
    case '!~':
      return sql`(${expression})::text collate "default" not ilike ${likePattern(value)}`
    case '^':
      return sql`${expression} = any(${[...values]}::text[])`
    case '!^':
      return sql`${expression} <> all(${[...values]}::text[])`
    default:
      return sql`${rank?.expression ?? expression} ${sql.raw(operator)} ${rank?.of(value) ?? sql`${value}::text`}`
  }
}

/** `%` and `*` stand for anything, `_` for one character. Without one of the former at an end, it may be anywhere. */
function likePattern(value: string): string {
  const pattern = value.replaceAll('\\', '\\\\').replaceAll('*', '%')
  return /^%|%$/.test(pattern) ? pattern : `%${pattern}%`
}

function integerCondition(field: SearchField, { operator, values }: Comparison): Condition {
  refusePattern(field, operator)
  const wrong = values.find((value) => !isInteger(value))
  if (wrong !== undefined) throw unsearchable(`${field.names[0]} is compared with whole numbers, not with "${wrong}"`)
  if (operator === '^') return sql`${field.expression} = any(${[...values]}::bigint[])`
  if (operator === '!^') return sql`${field.expression} <> all(${[...values]}::bigint[])`
  return sql`${field.expression} ${sql.raw(operator === '!=' ? '<>' : operator)} ${values[0]}::bigint`
}

function isInteger(text: string): boolean {
  return /^-?\d{1,18}$/.test(text)
}

function dateCondition(field: SearchField, { operator, values }: Comparison, now: number): Condition {
  refusePattern(field, operator)
  if (operator === '^' || operator === '!^') {
    const days = values.map((value) => dateCondition(field, { operator: '=', values: [value] }, now))
    const any = days.length === 0 ? sql<boolean>`false` : sql<boolean>`(${sql.join(days, sql` or `)})`
    return operator === '^' ? any : sql`not ${any}`
  }
  const span = parseDate(values[0] ?? '', now)
  if (span === undefined)
    throw unsearchable(
      `${field.names[0]} is compared with dates such as 2021-10-27 or "2 days ago", not "${values[0]}"`,
    )
  const { expression } = field
  switch (operator) {
    case '=':
      return sql`(${expression} >= ${span.from} and ${expression} < ${span.to})`
    case '!=':
      return sql`(${expression} < ${span.from} or ${expression} >= ${span.to})`
    case '>':
      return sql`${expression} >= ${span.to}`
    case '>=':
      return sql`${expression} >= ${span.from}`
    case '<':
      return sql`${expression} < ${span.from}`
    default:
      return sql`${expression} < ${span.to}`
  }
}

const booleans: ReadonlyMap<string, unknown> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
])

function choiceCondition(
  field: SearchField,
  { operator, values }: Comparison,
  choices: ReadonlyMap<string, unknown>,
): Condition {
  const [name] = field.names
  if (operator !== '=' && operator !== '!=') throw unsearchable(`${name} can be compared with = and != only`)
  const [value = ''] = values
  if (!choices.has(value.toLowerCase()))
    throw unsearchable(`${name} can be ${[...choices.keys()].join(', ')}, not "${value}"`)
  return sql`${field.expression} ${sql.raw(operator === '=' ? '=' : '<>')} ${choices.get(value.toLowerCase())}`
}

function refusePattern({ names, type }: SearchField, operator: ComparisonOperator): void {
  if (operator !== '~' && operator !== '!~') return
  const things = type === 'integer' ? 'numbers' : 'dates'
  throw unsearchable(`${names[0]} holds ${things}, which cannot be compared with ${operator}`)
}
