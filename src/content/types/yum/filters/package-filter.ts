import { type RawBuilder, sql } from 'kysely'
import { Type } from 'typebox'
import { isLike } from '../../../../platform/search/name-pattern.ts'
import type { AttributeValues, HeldUnits, UnitFilterKind } from '../../../unit-filter.ts'
import { splitEvr } from '../versions/parse-evr.ts'
import { versionSortKey } from '../versions/version-sort-key.ts'
import { plainPackages } from './filter-scopes.ts'
import { advisoriesWithPackages } from './held-units.ts'
import { anyOf, PatternText } from './rule-parts.ts'

type Condition = RawBuilder<boolean>

const version = (description: string) =>
  Type.Optional(
    Type.String({
      maxLength: 255,
      pattern: '^(\\d{1,9}:)?[^\\s:-]+(-[^\\s:-]+)?$',
      description: `${description}; epoch:version-release, where epoch and release may be left out and then may be any`,
    }),
  )

/** Chooses packages that belong to no module by their names, versions and architectures. */
export const packageFilter: UnitFilterKind = {
  name: 'rpm',
  rule: Type.Object({
    name: PatternText,
    version: version('The version of packages'),
    min_version: version('The oldest version of packages'),
    max_version: version('The newest version of packages'),
    architecture: Type.Optional(PatternText),
  }),
  checkRule: ({ version: exact, min_version: least, max_version: most }) =>
    exact !== undefined && (least ?? most) !== undefined
      ? { version: ['must not be given together with min_version or max_version'] }
      : {},
  options: { original_packages: 'Of a filter of packages: it also names packages that no advisory names' },
  effects: [
    {
      scope: plainPackages,
      names: ({ rules, options }, source) =>
        sql<boolean>`(${isNamed(rules)} or ${options.includes('original_packages') ? isOriginal(source) : sql`false`})`,
    },
  ],
}

function isNamed(rules: readonly AttributeValues[]): Condition {
  return sql`exists (select 1 from rpm_units unit where unit.unit_id = u.id and ${anyOf(rules.map(matches))})`
}

function isOriginal(source: HeldUnits): Condition {
  return sql`u.id not in (select distinct r.unit_id from ${advisoriesWithPackages(source)})`
}

function matches(rule: AttributeValues): Condition {
  const given = (name: string) => rule[name] as string | undefined
  const architecture = given('architecture')
  const conditions = [
    isLike(sql.ref('unit.name'), String(rule['name'])),
    ...(architecture === undefined ? [] : [isLike(sql.ref('unit.arch'), architecture)]),
    ...compared('=', given('version')),
    ...compared('>=', given('min_version')),
    ...compared('<=', given('max_version')),
  ]
  return sql`(${sql.join(conditions, sql` and `)})`
}

/** Compares as rpm does, by what is written of the version. */
function compared(operator: '=' | '>=' | '<=', text: string | undefined): Condition[] {
  if (text === undefined) return []
  const { epoch, version: number, release } = splitEvr(text)
  const hasEpoch = text.includes(':')
  const columns = [
    ...(hasEpoch ? [{ column: 'epoch', key: sql`${Number(epoch)}::integer` }] : []),
    { column: 'version_key', key: sql`${versionSortKey(number)}::text` },
    ...(release === '' ? [] : [{ column: 'release_key', key: sql`${versionSortKey(release)}::text` }]),
  ]
  const left = sql.join(columns.map(({ column }) => sql.ref(`unit.${column}`)))
  return [sql`(${left}) ${sql.raw(operator)} (${sql.join(columns.map(({ key }) => key))})`]
}
