import { type RawBuilder, sql } from 'kysely'
import { Type } from 'typebox'
import type { AttributeValues, FilterEffect, FilterWords, UnitFilterKind } from '../../../unit-filter.ts'
import { momentOf } from '../advisories/moment.ts'
import { advisories, modularPackages, moduleStreams, plainPackages } from './filter-scopes.ts'
import { advisoriesWithPackages, streamsWithPackages } from './held-units.ts'
import { anyOf } from './rule-parts.ts'

type Condition = RawBuilder<boolean>

/** What vendors call advisories of each type. */
const types = {
  security: ['security'],
  bugfix: ['bugfix', 'recommended'],
  enhancement: ['enhancement', 'optional'],
} as const

const AdvisoryId = Type.String({ minLength: 1, maxLength: 255 })
const day = (description: string) => Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description }))

/** Chooses packages by the advisories that name them: by ids, or by types and dates. */
export const advisoryFilter: UnitFilterKind = {
  name: 'erratum',
  rule: Type.Object({
    errata_id: Type.Optional(AdvisoryId),
    errata_ids: Type.Optional(Type.Array(AdvisoryId, { minItems: 1, maxItems: 10_000 })),
    start_date: day('The first day, of UTC'),
    end_date: day('The last day, of UTC'),
    date_type: Type.Optional(Type.Enum(['issued', 'updated'], { description: 'Which date is meant; default updated' })),
    types: Type.Optional(Type.Array(Type.Enum(Object.keys(types) as (keyof typeof types)[]), { minItems: 1 })),
  }),
  checkRule,
  effects: [
    ...[plainPackages, modularPackages].map(
      (scope): FilterEffect => ({
        scope,
        names: (words, source) =>
          sql<boolean>`u.id in (select distinct r.unit_id from ${advisoriesWithPackages(source)} and ${isNamed(words)})`,
      }),
    ),
    {
      // a package without its stream would look like one that belongs to no module
      scope: moduleStreams,
      only: 'inclusion',
      names: (words, source) =>
        sql<boolean>`u.id in (select distinct d.unit_id from ${streamsWithPackages(source)} and r.unit_id in (
          select distinct r.unit_id from ${advisoriesWithPackages(source)} and ${isNamed(words)}))`,
    },
    {
      scope: advisories,
      only: 'exclusion',
      names: (words) =>
        sql<boolean>`exists (select 1 from erratum_units e where e.unit_id = u.id and ${isNamed(words)})`,
    },
  ],
}

function checkRule(rule: AttributeValues) {
  const { errata_id: id, errata_ids: ids, start_date: start, end_date: end, types: wanted } = rule
  const bad = ['start_date', 'end_date'].find((name) => rule[name] !== undefined && !isDay(String(rule[name])))
  if (bad !== undefined) return { [bad]: ['is no day of the calendar'] }
  const isById = (id ?? ids) !== undefined
  const isByDate = (start ?? end ?? wanted) !== undefined
  if (isById && isByDate) return { errata_id: ['must not be given together with dates or types'] }
  if (!(isById || isByDate)) return { errata_id: ['must be given, or errata_ids, or dates or types'] }
  return {}
}

function isDay(text: string): boolean {
  return momentOf(text)?.toISOString().startsWith(text) === true
}

function isNamed({ rules }: FilterWords): Condition {
  return anyOf(rules.map(matches))
}

function matches(rule: AttributeValues): Condition {
  const { errata_id: id, errata_ids: ids = [], start_date: start, end_date: end } = rule
  const named = [...(id === undefined ? [] : [id]), ...(ids as string[])] as string[]
  if (named.length > 0) return sql`e.errata_id = any(${named}::text[])`
  const wanted = rule['types'] as readonly (keyof typeof types)[] | undefined
  const date = sql.ref(rule['date_type'] === 'issued' ? 'e.issued_at' : 'e.updated_at')
  const conditions = [
    ...(start === undefined ? [] : [sql`${date} >= ${dayStart(start)}`]),
    ...(end === undefined ? [] : [sql`${date} < ${dayStart(end)} + interval '1 day'`]),
    ...(wanted === undefined ? [] : [sql`lower(e.type) = any(${wanted.flatMap((type) => types[type])}::text[])`]),
  ]
  return sql`(${sql.join(conditions, sql` and `)})`
}

function dayStart(day: unknown): RawBuilder<unknown> {
  return sql`${`${String(day)}T00:00:00Z`}::timestamptz`
}
