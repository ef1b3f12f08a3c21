import { type RawBuilder, sql } from 'kysely'

/** The condition that a text is as a pattern says, in which `*` stands for anything and `?` for one character. */
export function isLike(text: RawBuilder<unknown>, pattern: string): RawBuilder<boolean> {
  return sql<boolean>`${text} like ${likePattern(pattern)}`
}

/** What stands for itself in one language may stand for something else in the other. */
function likePattern(pattern: string): string {
  return pattern
    .replaceAll(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%')
    .replaceAll('?', '_')
}
