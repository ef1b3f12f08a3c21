import { sql } from 'kysely'
import { type Comparison, type Condition, fieldCondition, takesPart } from './field-conditions.ts'
import { findField, getField, type SearchField } from './search-fields.ts'
import type { SearchTree } from './search-tree.ts'
import type { ComparisonOperator } from './tokens.ts'

export interface SearchContext {
  readonly fields: readonly SearchField[]
  /** What words such as "yesterday" are counted from. */
  readonly now: number
}

/**
 * Gives the SQL condition of a search. Comparisons with nothing are null, as in SQL, and so not met; `not (…)` is met by them.
 *
 * @throws AppError `unsearchable` that names the field that is not there or cannot be compared so
 */
export function searchCondition(tree: SearchTree, context: SearchContext): Condition {
  switch (tree.type) {
    case 'and':
    case 'or':
      return joined(
        tree.type,
        tree.parts.map((part) => searchCondition(part, context)),
      )
    case 'not':
      return negated(searchCondition(tree.part, context))
    case 'word':
      return freeText(tree.text, context)
    case 'presence':
      return presence(getField(context.fields, tree.field), tree.isPresent)
    case 'comparison':
      return tree.field === undefined
        ? comparisonOfAny(tree, context)
        : fieldCondition(getField(context.fields, tree.field), tree, context.now)
  }
}

function joined(operator: 'and' | 'or', conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return operator === 'and' ? sql`true` : sql`false`
  return sql`(${sql.join(conditions, operator === 'and' ? sql` and ` : sql` or `)})`
}

function negated(condition: Condition): Condition {
  return sql`not coalesce(${condition}, false)`
}

function presence({ expression, some }: SearchField, isPresent: boolean): Condition {
  const isThere = sql<boolean>`(${expression}) is not null`
  const condition = some === undefined ? isThere : some(isThere)
  return isPresent ? condition : negated(condition)
}

function freeText(word: string, { fields, now }: SearchContext): Condition {
  const named = findField(fields, word)
  if (named?.type === 'choice' && named.choices?.has('true') && named.choices.has('false'))
    return fieldCondition(named, { operator: '=', values: ['true'] }, now)
  return anyOf({ fields, now }, ({ type }) => ({ operator: type === 'string' ? '~' : '=', values: [word] }))
}

/** The condition that one of the fields of free text meets its comparison. */
function anyOf({ fields, now }: SearchContext, comparisonOf: (field: SearchField) => Comparison): Condition {
  const conditions = fields
    .filter((field) => field.isExplicitOnly !== true && takesPart(field, comparisonOf(field), now))
    .map((field) => fieldCondition(field, comparisonOf(field), now))
  return joined('or', conditions)
}

const opposites: Partial<Record<ComparisonOperator, ComparisonOperator>> = { '!=': '=', '!~': '~', '!^': '^' }

/** `!= x` without a field: no field of free text is x. */
function comparisonOfAny(comparison: Comparison, context: SearchContext): Condition {
  const opposite = opposites[comparison.operator]
  if (opposite !== undefined) return negated(comparisonOfAny({ ...comparison, operator: opposite }, context))
  return anyOf(context, () => comparison)
}
