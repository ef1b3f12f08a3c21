import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import { listRows } from '../../platform/search/list-rows.ts'
import type { ContentTables } from '../tables.ts'
import type { VersionRow } from '../view-tables.ts'
import { versionSearch } from './version-search.ts'

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
function selectVersions(db: ContentDb) {
  return db
    .selectFrom('content_view_versions as n')
    .innerJoin('content_views as w', 'w.id', 'n.view_id')
    .selectAll('n')
    .select(['w.organization_id', 'w.name as view_name', 'w.label as view_label', 'w.is_default', 'w.is_composite'])
}

export async function findVersion(db: ContentDb, id: number): Promise<VersionRecord | undefined> {
  return selectVersions(db).where('n.id', '=', id).executeTakeFirst()
}

export interface VersionFilter {
  readonly viewId?: number | undefined
  /** Only versions that this environment shows. */
  readonly environmentId?: number | undefined
  readonly organizationId?: number | undefined
  readonly memberId?: number | undefined
  /** Only versions that this version of a composite view is made of. */
  readonly compositeVersionId?: number | undefined
  /** Only the versions of default views, or only the others. */
  readonly isDefault?: boolean | undefined
  readonly version?: string | undefined
}

export async function listVersions(
  db: ContentDb,
  filter: VersionFilter,
  request: ListRequest,
): Promise<Listed<VersionRecord>> {
  const { viewId, environmentId, organizationId, memberId, compositeVersionId, isDefault, version } = filter
  let query = selectVersions(db)
  if (viewId !== undefined) query = query.where('n.view_id', '=', viewId)
  if (organizationId !== undefined) query = query.where('w.organization_id', '=', organizationId)
  if (isDefault !== undefined) query = query.where('w.is_default', '=', isDefault)
  if (version !== undefined) query = query.where(sql<boolean>`n.major || '.' || n.minor = ${version}`)
  if (environmentId !== undefined) {
    query = query.where('n.id', 'in', (sub) =>
      sub.selectFrom('content_view_environments').select('version_id').where('environment_id', '=', environmentId),
    )
  }
  if (compositeVersionId !== undefined) {
    query = query.where('n.id', 'in', (sub) =>
      sub
        .selectFrom('content_view_version_components')
        .select('component_id')
        .where('version_id', '=', compositeVersionId),
    )
  }
  if (memberId !== undefined) {
    query = query.where('w.organization_id', 'in', (sub) =>
      sub.selectFrom('organization_members').select('organization_id').where('user_id', '=', memberId),
    )
  }
  return listRows(query, versionSearch, request)
}

/** False when it is gone. */
export async function updateVersion(db: ContentDb, id: number, description: string | null): Promise<boolean> {
  const result = await db
    .updateTable('content_view_versions')
    .set({ description, updated_at: sql`now()` })
    .where('id', '=', id)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}
