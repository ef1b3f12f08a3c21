import type { Db } from '../../platform/db/database.ts'
import type { ContentTables } from '../tables.ts'
import type { VersionRow } from '../view-tables.ts'

type ContentDb = Db<ContentTables>

/** A version of a content view, and what it is a version of. */
export interface VersionRecord extends VersionRow {
  readonly organization_id: number
  readonly view_name: string
  readonly view_label: string
  readonly is_default: boolean
  readonly is_composite: boolean
}

/** The tables are called n and w. */
export function selectVersions(db: ContentDb) {
  return db
    .selectFrom('content_view_versions as n')
    .innerJoin('content_views as w', 'w.id', 'n.view_id')
    .selectAll('n')
    .select(['w.organization_id', 'w.name as view_name', 'w.label as view_label', 'w.is_default', 'w.is_composite'])
}

export async function findVersion(db: ContentDb, id: number): Promise<VersionRecord | undefined> {
  return selectVersions(db).where('n.id', '=', id).executeTakeFirst()
}
