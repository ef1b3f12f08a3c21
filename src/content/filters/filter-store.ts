import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { AttributeValues } from '../content-type.ts'
import type { ContentTables } from '../tables.ts'

type ContentDb = Db<ContentTables>

export interface FilterRule {
  readonly id: number
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
  /** Repositories in Library; none means all of the view. */
  readonly repository_ids: readonly number[]
  readonly rules: readonly FilterRule[]
}

/** The filters of a view, the oldest first. */
export async function listFiltersOf(db: ContentDb, viewId: number): Promise<ViewFilter[]> {
  const { rows } = await sql<ViewFilter>`
    select f.id, f.view_id, f.name, f.type, f.is_inclusion, f.description,
      (select coalesce(json_agg(chosen.repository_id order by chosen.repository_id), '[]')
        from content_view_filter_repositories chosen where chosen.filter_id = f.id) as repository_ids,
      (select coalesce(json_agg(json_build_object('id', rule.id, 'attributes', rule.attributes) order by rule.id), '[]')
        from content_view_filter_rules rule where rule.filter_id = f.id) as rules
    from content_view_filters f where f.view_id = ${viewId} order by f.id`.execute(db)
  return rows
}
