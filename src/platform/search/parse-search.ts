import { unsearchable } from './search-error.ts'
import type { SearchTree } from './search-tree.ts'
import { type ComparisonOperator, type Token, tokenize } from './tokens.ts'

const maxLength = 10_000
const maxDepth = 100
/** Each costs the database a condition for every field of free text and every row. */
const maxTerms = 200

/**
 * Reads the query language of Katello's lists: `name = Zoo and (arch ~ x86 or not vendor)`. What stands side by side, or is
 * separated by a comma, must all hold. `and` and `or` have no precedence and reach as far to the right as they can:
 * `a and b or c` is `a and (b or c)`. Operators at the end without anything to act on are dropped.
 *
 * @throws AppError `unsearchable`
 */
export function parseSearch(text: string): SearchTree {
  if (text.length > maxLength) throw unsearchable(`the search is longer than ${maxLength} characters`)
  const tokens = tokenize(text)
  while (isOperator(tokens.at(-1))) tokens.pop()
  return new Parser(tokens).parse()
}

function isOperator(token: Token | undefined): boolean {
  return token !== undefined && token.type !== 'word' && token.type !== '(' && token.type !== ')'
}

class Parser {
  readonly #tokens: readonly Token[]
  #at = 0
  #terms = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  parse(): SearchTree {
    const tree = this.#sequence(0)
    if (this.#peek() !== undefined) throw unsearchable('there is a ")" without its "("')
    return tree ?? { type: 'and', parts: [] }
  }

  #peek(ahead = 0): Token | undefined {
    return this.#tokens[this.#at + ahead]
  }

  #skip(type: Token['type']): boolean {
    const isThere = this.#peek()?.type === type
    if (isThere) this.#at += 1
    return isThere
  }

  /** Undefined when it is empty. */
  #sequence(depth: number): SearchTree | undefined {
    const parts: (SearchTree | undefined)[] = []
    while (true) {
      while (this.#skip(','));
      const next = this.#peek()
      if (next === undefined || next.type === ')') return joined('and', parts)
      parts.push(this.#chain(depth))
    }
  }

  /** Operands with `and` and `or` between them. */
  #chain(depth: number): SearchTree | undefined {
    const operands = [this.#operand(depth)]
    const operators: ('and' | 'or')[] = []
    for (let token = this.#peek(); token?.type === 'and' || token?.type === 'or'; token = this.#peek()) {
      this.#at += 1
      operators.push(token.type)
      operands.push(this.#operand(depth))
    }
    checkDepth(depth + operators.filter((operator, index) => operator !== operators[index - 1]).length)
    const last = operands.pop()
    return operands.reduceRight<SearchTree | undefined>(
      (right, left, index) => joined(operators[index] ?? 'and', [left, right]),
      last,
    )
  }

  #operand(depth: number): SearchTree | undefined {
    checkDepth(depth)
    const token = this.#peek()
    switch (token?.type) {
      case '(':
        return this.#group(depth)
      case 'not':
        return this.#negation(depth)
      case 'presence':
        return this.#presence(token.isPresent)
      default:
        return this.#comparison()
    }
  }

  /** The bracket at its end may be missing. */
  #group(depth: number): SearchTree | undefined {
    this.#skip('(')
    const tree = this.#sequence(depth + 1)
    this.#skip(')')
    return tree
  }

  #negation(depth: number): SearchTree {
    this.#skip('not')
    const part = this.#operand(depth + 1)
    if (part === undefined) throw unsearchable('there is nothing behind "not"')
    return { type: 'not', part }
  }

  #presence(isPresent: boolean): SearchTree {
    this.#skip('presence')
    this.#count()
    return { type: 'presence', field: this.#word('a field'), isPresent }
  }

  #comparison(): SearchTree {
    this.#count()
    const first = this.#peek()
    const field = first?.type === 'comparison' ? undefined : this.#word('a value')
    const operator = this.#peek()
    if (operator?.type !== 'comparison') return { type: 'word', text: field ?? '' }
    this.#at += 1
    return { type: 'comparison', field, operator: operator.operator, values: this.#values(operator.operator) }
  }

  #values(operator: ComparisonOperator): string[] {
    if (operator !== '^' && operator !== '!^') return [this.#word('a value')]
    const texts: string[] = []
    if (this.#skip('(')) {
      while (this.#peek()?.type === 'word' || this.#peek()?.type === ',') {
        if (!this.#skip(',')) texts.push(this.#word('a value'))
      }
      this.#skip(')')
    } else texts.push(this.#word('a value'))
    const values = texts.flatMap((text) => text.split(',')).map((value) => value.trim())
    return values.filter((value) => value !== '')
  }

  #word(expected: string): string {
    const token = this.#peek()
    if (token?.type !== 'word') throw unsearchable(`${expected} is expected ${this.#place(token)}`)
    this.#at += 1
    return token.text
  }

  #place(token: Token | undefined): string {
    if (token === undefined) return 'at the end'
    return `before "${token.type === 'comparison' ? token.operator : token.type}"`
  }

  #count(): void {
    this.#terms += 1
    if (this.#terms > maxTerms) throw unsearchable(`there are more than ${maxTerms} conditions`)
  }
}

function checkDepth(depth: number): void {
  if (depth > maxDepth) throw unsearchable(`conditions are nested more than ${maxDepth} deep`)
}

function joined(type: 'and' | 'or', parts: readonly (SearchTree | undefined)[]): SearchTree | undefined {
  const given = parts.filter((part) => part !== undefined)
  return given.length < 2 ? given[0] : { type, parts: given }
}
