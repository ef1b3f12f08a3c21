import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { RepositoryFact, UnitList } from '../content-type.ts'
import { belongsTo } from '../sets/membership.ts'
import type { ContentTables } from '../tables.ts'
import { contentTypes } from '../types/index.ts'
import type { AttributeValues } from '../unit-filter.ts'
import { joinTables, type RepositoryRecord } from './repository-store.ts'

/** What types know of their repositories by what these hold. */
export const repositoryFacts: readonly RepositoryFact[] = contentTypes.flatMap(({ facts = [] }) => facts)

const listOf = new Map(
  contentTypes.flatMap(({ unitKinds }) => unitKinds.map(({ kind, list }) => [kind, list as UnitList] as const)),
)

/** A fact of a repository whose tables are called as in `joinTables`; null when it holds no such unit. */
export function factExpression({ kind, expression }: RepositoryFact): RawBuilder<unknown> {
  const table = sql.table((listOf.get(kind) as UnitList).table)
  // of several the one whose files are served
  return sql`case when v.counts ? ${kind} then (
    select ${expression} from ${table} unit join content_set_units m on m.unit_id = unit.unit_id
    where m.set_id = r.set_id and ${belongsTo(sql.ref('v.number'))} order by unit.unit_id limit 1) end`
}

/** The facts of a repository; none where nothing is known. */
export async function findFacts(
  db: Db<ContentTables>,
  { id, counts }: Pick<RepositoryRecord, 'id' | 'counts'>,
): Promise<AttributeValues> {
  const known = repositoryFacts.filter(({ kind }) => counts[kind] !== undefined)
  if (known.length === 0) return {}
  const selected = known.map((fact) => factExpression(fact).as(fact.name))
  const row = await joinTables(db).select(selected).where('r.id', '=', id).executeTakeFirst()
  return (row ?? {}) as AttributeValues
}
