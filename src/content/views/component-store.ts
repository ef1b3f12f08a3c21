import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ContentTables } from '../tables.ts'

type ContentDb = Db<ContentTables>

/** A view that a composite view is made of. */
export interface ComponentRecord {
  readonly id: number
  readonly composite_id: number
  readonly view_id: number
  readonly view_name: string
  readonly view_label: string
  readonly view_description: string | null
  readonly next_major: number
  /** Whether it is always the latest version; else it is the one below. */
  readonly is_latest: boolean
  /** The version that is meant now; null as long as the view has none. */
  readonly version_id: number | null
  readonly major: number | null
  readonly minor: number | null
}

const columns = sql`component.id, component.composite_id, component.view_id, w.name as view_name, w.label as view_label,
  w.description as view_description, w.next_major, component.version_id is null as is_latest,
  n.id as version_id, n.major, n.minor`

const tables = sql`content_view_components component
  join content_views w on w.id = component.view_id
  left join lateral (
    select id, major, minor from content_view_versions version
    where version.view_id = component.view_id and (component.version_id is null or version.id = component.version_id)
    order by major desc, minor desc limit 1
  ) n on true`

/** The components of these composite views, in the order in which they were added. */
export async function listComponents(db: ContentDb, compositeIds: readonly number[]): Promise<ComponentRecord[]> {
  const { rows } = await sql<ComponentRecord>`
    select ${columns} from ${tables}
    where component.composite_id = any(${compositeIds as number[]}::bigint[]) order by component.id`.execute(db)
  return rows
}

/** What a composite view is to be made of; the latest version where none is named. */
export interface Part {
  readonly viewId: number
  readonly versionId: number | null
}

/** A view or a version of one, as far as it can be part of something. */
export interface PartSource {
  readonly viewId: number
  readonly versionId: number | null
  readonly organizationId: number
  readonly isComposite: boolean
  readonly isDefault: boolean
}

/** The views and versions with these ids; they are not deleted until the transaction ends. */
export async function lockPartSources(
  tx: ContentDb,
  { viewIds, versionIds }: { readonly viewIds: readonly number[]; readonly versionIds: readonly number[] },
): Promise<PartSource[]> {
  const view = sql`w.id as "viewId", w.organization_id as "organizationId", w.is_composite as "isComposite",
    w.is_default as "isDefault"`
  const versions = await sql<PartSource>`
    select ${view}, n.id as "versionId" from content_view_versions n join content_views w on w.id = n.view_id
    where n.id = any(${versionIds as number[]}::bigint[]) order by n.id for key share`.execute(tx)
  const views = await sql<PartSource>`
    select ${view}, null::bigint as "versionId" from content_views w
    where w.id = any(${viewIds as number[]}::bigint[]) order by w.id for key share`.execute(tx)
  return [...versions.rows, ...views.rows]
}

/** Replaces the components of a composite view; those that stay keep their ids. */
export async function saveComponents(tx: ContentDb, compositeId: number, parts: readonly Part[]): Promise<void> {
  const viewIds = parts.map(({ viewId }) => viewId)
  await sql`delete from content_view_components
    where composite_id = ${compositeId} and view_id <> all(${viewIds}::bigint[])`.execute(tx)
  for (const part of parts) await saveComponent(tx, compositeId, part)
}

export async function saveComponent(tx: ContentDb, compositeId: number, { viewId, versionId }: Part): Promise<void> {
  await tx
    .insertInto('content_view_components')
    .values({ composite_id: compositeId, view_id: viewId, version_id: versionId })
    .onConflict((conflict) => conflict.columns(['composite_id', 'view_id']).doUpdateSet({ version_id: versionId }))
    .execute()
}

export async function deleteComponents(tx: ContentDb, compositeId: number, ids: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('content_view_components')
    .where('composite_id', '=', compositeId)
    .where('id', 'in', ids)
    .execute()
}
