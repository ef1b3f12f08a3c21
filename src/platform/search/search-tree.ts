import type { ComparisonOperator } from './tokens.ts'

/** What a search means, before anybody knows which fields there are. */
export type SearchTree =
  /** Of no parts: everything. */
  | { readonly type: 'and' | 'or'; readonly parts: readonly SearchTree[] }
  | { readonly type: 'not'; readonly part: SearchTree }
  /** Without a field: any of those that take part in free text. Several values only for `^` and `!^`. */
  | {
      readonly type: 'comparison'
      readonly field: string | undefined
      readonly operator: ComparisonOperator
      readonly values: readonly string[]
    }
  | { readonly type: 'presence'; readonly field: string; readonly isPresent: boolean }
  | { readonly type: 'word'; readonly text: string }
