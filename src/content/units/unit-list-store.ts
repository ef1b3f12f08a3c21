import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import { listRows } from '../../platform/search/list-rows.ts'
import type { Searchable, SearchField } from '../../platform/search/search-fields.ts'
import type { UnitKind, UnitList } from '../content-type.ts'
import { belongsTo } from '../sets/membership.ts'
import type { ContentTables } from '../tables.ts'
import { contentTypes } from '../types/index.ts'

type ContentDb = Db<ContentTables>
type Condition = RawBuilder<boolean>

/** A unit of one kind by any of its ids. */
export interface WantedUnit {
  readonly kind: string
  readonly id: string
}

/** The id under which answers show a unit as a thing of the storage. */
export function unitHref(id: number): string {
  return `/content/units/${id}/`
}

/** The condition that a repository, whose table is called r, holds a unit; that of no unit is not met. */
export function holdsUnit({ kind, id }: WantedUnit): Condition {
  const [, number] = /^(?:\/content\/units\/)?(\d{1,18})\/?$/.exec(id) ?? []
  const list = contentTypes.flatMap((type) => type.unitKinds).find((unit) => unit.kind === kind)?.list
  const isWanted = [
    ...(number === undefined ? [] : [sql`u.id = ${number}::bigint`]),
    ...(list?.ownId === undefined
      ? []
      : [sql`u.id in (select unit.unit_id from ${sql.table(list.table)} unit where ${list.ownId} = ${id})`]),
  ]
  if (isWanted.length === 0) return sql`false`
  return sql`exists (
    select 1 from content_set_units m join units u on u.id = m.unit_id
    where m.set_id = r.set_id and ${belongsTo(sql.ref('r.set_version'))} and u.kind = ${kind} and (${sql.join(isWanted, sql` or `)}))`
}

/** Units in repositories; everything that is given must hold of one of these. */
export interface UnitFilter {
  readonly memberId?: number | undefined
  readonly organizationId?: number | undefined
  readonly environmentId?: number | undefined
  readonly repositoryId?: number | undefined
  readonly viewVersionId?: number | undefined
  readonly ids?: readonly number[] | undefined
  /** Versions of content views that are compared. */
  readonly compared?: Comparison | undefined
}

export interface Comparison {
  readonly viewVersionIds: readonly number[]
  /** Only their copies of this repository in Library. */
  readonly libraryId?: number | undefined
  /** Whether only units are wanted that all of the versions hold, or only others. */
  readonly isInAll?: boolean | undefined
}

/** A row of the table of the kind's own. */
export interface UnitRow {
  readonly unit_id: number
  readonly [column: string]: unknown
}

/** A kind of units that can be listed. */
export type ListedKind = UnitKind & { readonly list: UnitList }

export async function listUnits(
  db: ContentDb,
  { list }: ListedKind,
  { filter, request }: { readonly filter: UnitFilter; readonly request: ListRequest },
): Promise<Listed<UnitRow>> {
  const searchable: Searchable = {
    fields: [...list.fields, repositoryField(filter), idField],
    order: list.order,
    id: idField.expression,
  }
  const isGiven =
    filter.ids === undefined ? sql<boolean>`true` : sql<boolean>`unit.unit_id = any(${[...filter.ids]}::bigint[])`
  const scope = db
    .selectFrom(sql<UnitRow>`${sql.table(list.table)}`.as('unit'))
    .selectAll('unit')
    .where(sql<boolean>`unit.unit_id in (select m.unit_id ${placesOf(filter)})`)
    .where(isGiven)
    .where(isAsCompared(filter))
  return (await listRows(scope, searchable, request)) as Listed<UnitRow>
}

const idField: SearchField = {
  names: ['id'],
  type: 'integer',
  expression: sql.ref('unit.unit_id'),
  isExplicitOnly: true,
}

/** Only repositories that the asker sees are searched, lest their names could be guessed. */
function repositoryField(filter: UnitFilter): SearchField {
  return {
    names: ['repository'],
    type: 'string',
    expression: sql.ref('root.name'),
    isExplicitOnly: true,
    some: (isWanted) => sql`exists (select 1 ${placesOf(filter)} and m.unit_id = unit.unit_id and ${isWanted})`,
  }
}

function placesOf(filter: UnitFilter): RawBuilder<unknown> {
  const conditions: readonly (Condition | undefined)[] = [
    belongsTo(sql.ref('r.set_version')),
    isId(sql`r.id`, filter.repositoryId),
    isId(sql`r.environment_id`, filter.environmentId),
    isId(sql`p.organization_id`, filter.organizationId),
    isId(sql`r.version_id`, filter.viewVersionId),
    isId(sql`coalesce(r.library_instance_id, r.id)`, filter.compared?.libraryId),
    filter.compared === undefined
      ? undefined
      : sql`r.version_id = any(${filter.compared.viewVersionIds as number[]}::bigint[])`,
    filter.memberId === undefined
      ? undefined
      : sql`p.organization_id in (select organization_id from organization_members where user_id = ${filter.memberId})`,
  ]
  return sql`from content_set_units m
    join repositories r on r.set_id = m.set_id
    join root_repositories root on root.id = r.root_id
    join products p on p.id = root.product_id
    where ${sql.join(
      conditions.filter((condition) => condition !== undefined),
      sql` and `,
    )}`
}

function isAsCompared(filter: UnitFilter): Condition {
  const { viewVersionIds = [], isInAll } = filter.compared ?? {}
  if (isInAll === undefined) return sql`true`
  const holding = sql`(select count(distinct r.version_id) ${placesOf(filter)} and m.unit_id = unit.unit_id)`
  const isAll = sql<boolean>`${holding} = ${new Set(viewVersionIds).size}`
  return isInAll ? isAll : sql`not ${isAll}`
}

/** Which of the compared versions hold each of these units, by its id. */
export async function findHolders(
  db: ContentDb,
  filter: UnitFilter & { readonly ids: readonly number[] },
): Promise<ReadonlyMap<number, readonly number[]>> {
  const { rows } = await sql<{ unit_id: number; version_ids: number[] }>`
    select m.unit_id, json_agg(distinct r.version_id order by r.version_id) as version_ids ${placesOf(filter)}
      and m.unit_id = any(${filter.ids as number[]}::bigint[]) group by m.unit_id`.execute(db)
  return new Map(rows.map(({ unit_id, version_ids }) => [unit_id, version_ids]))
}

function isId(column: RawBuilder<unknown>, id: number | undefined): Condition | undefined {
  return id === undefined ? undefined : sql`${column} = ${id}`
}
