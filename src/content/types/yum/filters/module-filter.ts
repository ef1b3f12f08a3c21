import { type RawBuilder, sql } from 'kysely'
import { Type } from 'typebox'
import { Id } from '../../../../platform/http/schemas.ts'
import { isLike } from '../../../../platform/search/name-pattern.ts'
import type { AttributeValues, FilterWords, HeldUnits, UnitFilterKind } from '../../../unit-filter.ts'
import { modularPackages, moduleStreams } from './filter-scopes.ts'
import { advisoriesWithPackages, streamsWithPackages } from './held-units.ts'
import { anyOf, PatternText } from './rule-parts.ts'

type Condition = RawBuilder<boolean>

/** Chooses streams of modules, and with them the packages that belong to modules. */
export const moduleFilter: UnitFilterKind = {
  name: 'modulemd',
  rule: Type.Object({
    name: Type.Optional(PatternText),
    module_stream_ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 1000 })),
  }),
  checkRule: ({ name, module_stream_ids: ids }) =>
    name === undefined && ids === undefined ? { name: ['must be given, or module_stream_ids'] } : {},
  // clients of Katello, which has a rule for each stream, look for it in every rule
  derive: ({ module_stream_ids: ids }) => ({ module_stream_id: onlyOf(ids as readonly number[] | undefined) }),
  options: {
    original_module_streams: 'Of a filter of modules: it also names streams that no advisory names packages of',
  },
  effects: [
    {
      scope: modularPackages,
      names: (words, source) =>
        sql<boolean>`u.id in (select distinct r.unit_id from ${streamsWithPackages(source)} and ${isNamed(words, source)})`,
    },
    {
      scope: moduleStreams,
      names: (words, source) =>
        sql<boolean>`exists (select 1 from module_units d where d.unit_id = u.id and ${isNamed(words, source)})`,
    },
  ],
}

function onlyOf(ids: readonly number[] = []): number | null {
  return ids.length === 1 ? (ids[0] as number) : null
}

function isNamed({ rules, options }: FilterWords, source: HeldUnits): Condition {
  const isOriginal = options.includes('original_module_streams') ? [hasNoAdvisory(source)] : []
  return anyOf([...rules.map(matches), ...isOriginal])
}

/** A stream has a name like `nodejs:18`; without a colon all streams of the module are meant. */
function matches({ name, module_stream_ids: ids }: AttributeValues): Condition {
  if (name === undefined) return sql`d.unit_id = any(${ids as number[]}::bigint[])`
  const called = String(name)
  return isLike(called.includes(':') ? sql`(d.name || ':' || d.stream)` : sql`d.name`, called)
}

function hasNoAdvisory(source: HeldUnits): Condition {
  return sql`d.unit_id not in (select distinct d.unit_id from ${streamsWithPackages(source)} and r.unit_id in (
    select distinct r.unit_id from ${advisoriesWithPackages(source)}))`
}
