import { sql } from 'kysely'
import { type Db, isUniqueViolation } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import { listRows } from '../../platform/search/list-rows.ts'
import type { ContentTables } from '../tables.ts'
import type { AttributeValues } from '../unit-filter.ts'
import { filterRuleSearch, ruleWord } from './filter-rule-search.ts'
import { filterSearch } from './filter-search.ts'

type ContentDb = Db<ContentTables>

export interface FilterRule {
  readonly id: number
  /** Of its filter. */
  readonly type: string
  readonly attributes: AttributeValues
}

/** A filter with all that decides what it does. */
export interface ViewFilter {
  readonly id: number
  readonly view_id: number
  readonly name: string
  readonly type: string
  readonly is_inclusion: boolean
  readonly description: string | null
  /** What is on of the options of its type. */
  readonly options: string[]
  readonly created_at: Date
  readonly updated_at: Date
  /** Repositories in Library; none means all of the view. */
  readonly repository_ids: readonly number[]
  readonly rules: readonly FilterRule[]
}

/** What may be changed of a filter. */
export interface FilterAttributes {
  readonly name: string
  readonly description: string | null
  readonly is_inclusion: boolean
  readonly options: string[]
}

function selectFilters(db: ContentDb) {
  return db
    .selectFrom('content_view_filters as f')
    .selectAll('f')
    .select([
      sql<number[]>`(select coalesce(json_agg(chosen.repository_id order by chosen.repository_id), '[]')
        from content_view_filter_repositories chosen where chosen.filter_id = f.id)`.as('repository_ids'),
      sql<
        FilterRule[]
      >`(select coalesce(json_agg(json_build_object('id', rule.id, 'type', f.type, 'attributes', rule.attributes) order by rule.id), '[]')
        from content_view_filter_rules rule where rule.filter_id = f.id)`.as('rules'),
    ])
}

/** The filters of a view, the oldest first. */
export async function listFiltersOf(db: ContentDb, viewId: number): Promise<ViewFilter[]> {
  return selectFilters(db).where('f.view_id', '=', viewId).orderBy('f.id').execute()
}

export async function listFilters(
  db: ContentDb,
  { viewId, name }: { readonly viewId: number; readonly name?: string | undefined },
  request: ListRequest,
): Promise<Listed<ViewFilter>> {
  const ofView = selectFilters(db).where('f.view_id', '=', viewId)
  return listRows(name === undefined ? ofView : ofView.where('f.name', '=', name), filterSearch, request)
}

export async function findFilter(db: ContentDb, id: number): Promise<ViewFilter | undefined> {
  return selectFilters(db).where('f.id', '=', id).executeTakeFirst()
}

export async function insertFilter(
  tx: ContentDb,
  filter: FilterAttributes & { readonly view_id: number; readonly type: string },
): Promise<number> {
  const query = tx.insertInto('content_view_filters').values(filter).returning('id')
  const { id } = await refusingTaken(filter.name, () => query.executeTakeFirstOrThrow())
  return id
}

/** False when it is gone. */
export async function updateFilter(tx: ContentDb, id: number, change: Partial<FilterAttributes>): Promise<boolean> {
  const query = tx
    .updateTable('content_view_filters')
    .set({ ...change, updated_at: sql`now()` })
    .where('id', '=', id)
  const result = await refusingTaken(change.name ?? '', () => query.executeTakeFirst())
  return result.numUpdatedRows > 0n
}

export async function deleteFilter(db: ContentDb, id: number): Promise<void> {
  await db.deleteFrom('content_view_filters').where('id', '=', id).execute()
}

/** Says which repositories a filter is for, in place of what was said before. */
export async function saveFilterRepositories(tx: ContentDb, filterId: number, ids: readonly number[]): Promise<void> {
  await tx.deleteFrom('content_view_filter_repositories').where('filter_id', '=', filterId).execute()
  await sql`
    insert into content_view_filter_repositories (filter_id, repository_id)
    select ${filterId}, id from unnest(${ids as number[]}::bigint[]) as id on conflict do nothing`.execute(tx)
}

/** Those of these repositories that a view does not hold. */
export async function listStrangers(db: ContentDb, viewId: number, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from unnest(${ids as number[]}::bigint[]) as id where not exists (
      select 1 from content_view_repositories chosen where chosen.view_id = ${viewId} and chosen.repository_id = id)`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** Which rules of a filter are wanted: those that say these words. */
export interface WantedRules {
  readonly name?: string | undefined
  readonly errata_id?: string | undefined
}

export async function listRules(
  db: ContentDb,
  { filterId, ...words }: WantedRules & { readonly filterId: number },
  request: ListRequest,
): Promise<Listed<FilterRule>> {
  let rules = db
    .selectFrom('content_view_filter_rules as r')
    .innerJoin('content_view_filters as f', 'f.id', 'r.filter_id')
    .select(['r.id', 'f.type', 'r.attributes'])
    .where('f.id', '=', filterId)
  for (const [name, word] of Object.entries(words)) {
    if (word !== undefined) rules = rules.where(ruleWord(name), '=', word)
  }
  return listRows(rules, filterRuleSearch, request)
}

export async function insertRule(db: ContentDb, filterId: number, attributes: AttributeValues): Promise<number> {
  const { id } = await db
    .insertInto('content_view_filter_rules')
    .values({ filter_id: filterId, attributes: JSON.stringify(attributes) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function updateRule(db: ContentDb, id: number, attributes: AttributeValues): Promise<void> {
  await db
    .updateTable('content_view_filter_rules')
    .set({ attributes: JSON.stringify(attributes), updated_at: sql`now()` })
    .where('id', '=', id)
    .execute()
}

export async function deleteRule(db: ContentDb, id: number): Promise<void> {
  await db.deleteFrom('content_view_filter_rules').where('id', '=', id).execute()
}

async function refusingTaken<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!isUniqueViolation(error, 'content_view_filters_name_key')) throw error
    throw new AppError('invalid', `Validation failed: the name "${name}" is taken in this content view`, {
      cause: error,
      fields: { name: ['has already been taken'] },
    })
  }
}
