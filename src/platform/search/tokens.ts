export type ComparisonOperator = '=' | '!=' | '~' | '!~' | '>' | '>=' | '<' | '<=' | '^' | '!^'

export type Token =
  | { readonly type: 'word'; readonly text: string }
  | { readonly type: 'comparison'; readonly operator: ComparisonOperator }
  | { readonly type: 'presence'; readonly isPresent: boolean }
  | { readonly type: 'and' | 'or' | 'not' | '(' | ')' | ',' }

const keywords = new Map<string, Token>([
  ['and', { type: 'and' }],
  ['or', { type: 'or' }],
  ['not', { type: 'not' }],
  ['at', { type: 'comparison', operator: '=' }],
  ['after', { type: 'comparison', operator: '>' }],
  ['before', { type: 'comparison', operator: '<' }],
  ['has', { type: 'presence', isPresent: true }],
  ['set?', { type: 'presence', isPresent: true }],
  ['null?', { type: 'presence', isPresent: false }],
])

const compares = (operator: ComparisonOperator): Token => ({ type: 'comparison', operator })

/** The longer ones first, where one begins with another. */
const signs: readonly (readonly [string, Token])[] = [
  ['&&', { type: 'and' }],
  ['&', { type: 'and' }],
  ['||', { type: 'or' }],
  ['|', { type: 'or' }],
  ['==', compares('=')],
  ['=', compares('=')],
  ['!=', compares('!=')],
  ['<>', compares('!=')],
  ['!~', compares('!~')],
  ['!^', compares('!^')],
  ['~', compares('~')],
  ['^', compares('^')],
  ['>=', compares('>=')],
  ['>', compares('>')],
  ['<=', compares('<=')],
  ['<', compares('<')],
  ['!', { type: 'not' }],
  ['-', { type: 'not' }],
  ['(', { type: '(' }],
  [')', { type: ')' }],
  [',', { type: ',' }],
]

const blanks = /\s*/y
/**
 * Up to a blank, a sign that ends words, or one that follows a field's name without a blank: `name!=x`, `name^(a,b)`.
 * Inside a word `-`, `!`, `^` and `"` belong to it.
 */
const word = /(?:(?!!=|!~|!?\^\s*\()[^\s=~<>&|(),])+/y
const quoted = /"((?:[^"\\]|\\.)*)(?:"|\\?$)/sy

/** Cuts a search into words and operators. Every text can be cut. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  let at = skip(text, 0)
  while (at < text.length) {
    const { token, end } = tokenAt(text, at, tokens.at(-1))
    tokens.push(token)
    at = skip(text, end)
  }
  return tokens
}

interface Cut {
  readonly token: Token
  readonly end: number
}

function tokenAt(text: string, at: number, before: Token | undefined): Cut {
  return quotedAt(text, at) ?? signAt(text, at, before) ?? wordAt(text, at)
}

function quotedAt(text: string, at: number): Cut | undefined {
  quoted.lastIndex = at
  const found = quoted.exec(text)
  if (found === null) return undefined
  return { token: { type: 'word', text: (found[1] ?? '').replaceAll(/\\(.)/gs, '$1') }, end: quoted.lastIndex }
}

function signAt(text: string, at: number, before: Token | undefined): Cut | undefined {
  // what a field is compared with may be negative
  if (before?.type === 'comparison' && text[at] === '-') return undefined
  const sign = signs.find(([spelling]) => text.startsWith(spelling, at))
  return sign === undefined ? undefined : { token: sign[1], end: at + sign[0].length }
}

function wordAt(text: string, at: number): Cut {
  word.lastIndex = at
  const found = word.exec(text)?.[0] ?? text[at] ?? ''
  return { token: keywords.get(found.toLowerCase()) ?? { type: 'word', text: found }, end: at + found.length }
}

function skip(text: string, at: number): number {
  blanks.lastIndex = at
  blanks.exec(text)
  return blanks.lastIndex
}
