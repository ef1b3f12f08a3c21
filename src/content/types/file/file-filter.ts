import { sql } from 'kysely'
import { Type } from 'typebox'
import { isLike } from '../../../platform/search/name-pattern.ts'
import type { UnitFilterKind } from '../../unit-filter.ts'

const Path = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'Path of files in the repository; * stands for anything, ? for one character',
})

/** Chooses files by their paths. */
export const fileFilter: UnitFilterKind = {
  name: 'file',
  rule: Type.Object({ path: Path }),
  effects: [
    {
      scope: { holds: () => sql`(u.kind = 'file')` },
      names: ({ rules }) => {
        const isNamed = rules.map(({ path }) => isLike(sql.ref('unit.path'), String(path)))
        return sql`exists (
          select 1 from file_units unit where unit.unit_id = u.id and (${sql.join(isNamed, sql` or `)}))`
      },
    },
  ],
}
