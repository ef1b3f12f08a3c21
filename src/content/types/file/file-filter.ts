import { sql } from 'kysely'
import { Type } from 'typebox'
import type { UnitFilterKind } from '../../content-type.ts'

const Path = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'Path of files in the repository; * stands for anything, ? for one character',
})

/** Chooses files by their paths. */
export const fileFilter: UnitFilterKind = {
  name: 'file',
  kind: 'file',
  rule: Type.Object({ path: Path }),
  matches: ({ path }) => sql<boolean>`unit.path like ${likePattern(String(path))}`,
}

/** What stands for itself in one language may stand for something else in the other. */
function likePattern(pattern: string): string {
  return pattern
    .replaceAll(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%')
    .replaceAll('?', '_')
}
