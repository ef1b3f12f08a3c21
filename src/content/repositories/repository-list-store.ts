import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import { listRows } from '../../platform/search/list-rows.ts'
import type { ContentTables } from '../tables.ts'
import { holdsUnit, type WantedUnit } from '../units/unit-list-store.ts'
import { isAtPlaces, type RepositoryPlaces } from './repository-places.ts'
import { repositorySearch } from './repository-search.ts'
import { findRepositories, joinTables, type RepositoryRecord } from './repository-store.ts'

/** Everything that is given must hold. */
export interface RepositoryFilter extends RepositoryPlaces {
  readonly memberId?: number | undefined
  readonly organizationId?: number | undefined
  readonly productId?: number | undefined
  readonly name?: string | undefined
  readonly label?: string | undefined
  readonly contentType?: string | undefined
  readonly description?: string | undefined
  readonly downloadPolicy?: string | undefined
  /** Only repositories that hold units of one of these kinds. */
  readonly withKinds?: readonly string[] | undefined
  readonly withUnits?: readonly WantedUnit[] | undefined
}

export async function listRepositories(
  db: Db<ContentTables>,
  filter: RepositoryFilter,
  request: ListRequest,
): Promise<Listed<RepositoryRecord>> {
  const scope = joinTables(db).select('r.id').where(conditionOf(filter))
  const { rows, ...counts } = await listRows(scope, repositorySearch, request)
  const ids = rows.map(({ id }) => id)
  return { rows: await findRepositories(db, ids), ...counts }
}

type Condition = RawBuilder<boolean>

function conditionOf(filter: RepositoryFilter): Condition {
  const conditions = [
    isAtPlaces(filter),
    ...ownerConditions(filter),
    ...attributeConditions(filter),
    ...contentConditions(filter),
  ]
  return sql`${sql.join(conditions, sql` and `)}`
}

function given<T>(value: T | undefined, condition: (value: T) => Condition): Condition[] {
  return value === undefined ? [] : [condition(value)]
}

/** A version's view belongs to the same organization as the product does, and there are fewer of them to look at. */
function ownerConditions(filter: RepositoryFilter): Condition[] {
  return [
    ...given(
      filter.memberId,
      (id) => sql`w.organization_id in (select organization_id from organization_members where user_id = ${id})`,
    ),
    ...given(filter.organizationId, (id) => sql`w.organization_id = ${id}`),
    ...given(filter.productId, (id) => sql`root.product_id = ${id}`),
  ]
}

function attributeConditions(filter: RepositoryFilter): Condition[] {
  return [
    ...given(filter.name, (name) => sql`root.name = ${name}`),
    ...given(filter.label, (label) => sql`root.label = ${label}`),
    ...given(filter.contentType, (type) => sql`root.content_type = ${type}`),
    ...given(filter.description, (description) => sql`root.description = ${description}`),
    ...given(filter.downloadPolicy, (policy) => sql`root.download_policy = ${policy}`),
  ]
}

function contentConditions({ withKinds, withUnits = [] }: RepositoryFilter): Condition[] {
  return [
    ...given(withKinds, (kinds) => sql`v.counts ?| ${[...kinds]}::text[]`),
    ...withUnits.map((unit) => holdsUnit(unit)),
  ]
}
