import { type RawBuilder, sql } from 'kysely'
import { Type } from 'typebox'
import { isLike } from '../../../../platform/search/name-pattern.ts'
import type { AttributeValues, UnitFilterKind } from '../../../unit-filter.ts'
import { packageGroups, plainPackages } from './filter-scopes.ts'
import { groupsWithPackages } from './held-units.ts'
import { anyOf, PatternText } from './rule-parts.ts'

/** Chooses packages that belong to no module by the groups that name them. */
export const groupFilter: UnitFilterKind = {
  name: 'package_group',
  rule: Type.Object({
    name: Type.Optional(PatternText),
    uuid: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'The uuid or the package_group_id of a group' }),
    ),
  }),
  checkRule: ({ name, uuid }) => (name === undefined && uuid === undefined ? { name: ['must be given, or uuid'] } : {}),
  effects: [
    {
      scope: plainPackages,
      names: ({ rules }, source) =>
        sql<boolean>`u.id in (select distinct r.unit_id from ${groupsWithPackages(source)} and ${anyOf(rules.map(matches))})`,
    },
    {
      scope: packageGroups,
      only: 'exclusion',
      names: ({ rules }) =>
        sql<boolean>`exists (select 1 from comps_units g where g.unit_id = u.id and ${anyOf(rules.map(matches))})`,
    },
  ],
}

/** A group that was changed is another unit with the same id. */
function matches({ name, uuid }: AttributeValues): RawBuilder<boolean> {
  if (name !== undefined) return isLike(sql.ref('g.name'), String(name))
  const [, unitId] = /^\/content\/units\/(\d{1,15})\/$/.exec(String(uuid)) ?? []
  if (unitId === undefined) return sql`g.group_id = ${String(uuid)}`
  return sql`g.group_id = (select known.group_id from comps_units known where known.unit_id = ${Number(unitId)})`
}
