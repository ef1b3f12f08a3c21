import { findField, getField, type SearchField } from './search-fields.ts'
import { type ComparisonOperator, type Token, tokenize } from './tokens.ts'

const operatorsOf: Readonly<Record<SearchField['type'], readonly ComparisonOperator[]>> = {
  string: ['=', '!=', '~', '!~', '^', '!^'],
  integer: ['=', '!=', '<', '<=', '>', '>=', '^', '!^'],
  date: ['=', '!=', '<', '<=', '>', '>='],
  boolean: ['=', '!='],
  choice: ['=', '!='],
}

/**
 * Gives the searches that one may want to write from the beginning of one: with one more field, operator or known value.
 *
 * @throws AppError `unsearchable` when it compares a field that is not there
 */
export function completeSearch(text: string, fields: readonly SearchField[]): string[] {
  const tokens = tokenize(text)
  const begun = begunWord(text, tokens.at(-1))
  const finished = text.slice(0, text.length - begun.length)
  const gap = /(^|[\s(])$/.test(finished) ? '' : ' '
  return nextWords(begun === '' ? tokens : tokens.slice(0, -1), fields)
    .filter((word) => word.startsWith(begun.toLowerCase()) && word !== begun)
    .map((word) => finished + gap + word)
}

/** The word that the text ends with, unless it is in quotes. */
function begunWord(text: string, last: Token | undefined): string {
  const isBegun = last?.type === 'word' && text.endsWith(last.text) && !text.endsWith(`"${last.text}`)
  return isBegun ? last.text : ''
}

/** What can stand behind these tokens. */
function nextWords(tokens: readonly Token[], fields: readonly SearchField[]): readonly string[] {
  const [beforeLast, last] = [tokens.at(-2), tokens.at(-1)]
  const names = fields.map((field) => field.names[0]).sort()
  switch (last?.type) {
    case 'comparison':
      return beforeLast?.type === 'word' ? valuesOf(getField(fields, beforeLast.text)) : []
    case 'presence':
      return names
    case 'word':
      return isField(beforeLast) ? [...operatorsFor(findField(fields, last.text)), 'and', 'or'] : ['and', 'or']
    case ')':
      return ['and', 'or']
    default:
      return [...names, 'has', 'not']
  }
}

/** Whether a word behind this token may be a field to compare. */
function isField(before: Token | undefined): boolean {
  return before?.type !== 'comparison' && before?.type !== 'presence'
}

function operatorsFor(field: SearchField | undefined): readonly string[] {
  return field === undefined ? [] : operatorsOf[field.type]
}

function valuesOf({ type, choices }: SearchField): readonly string[] {
  switch (type) {
    case 'boolean':
      return ['true', 'false']
    case 'choice':
      return [...(choices?.keys() ?? [])]
    case 'date':
      return ['today', 'yesterday', '"1 hour ago"', '"2 days ago"', '"1 month ago"']
    default:
      return []
  }
}
