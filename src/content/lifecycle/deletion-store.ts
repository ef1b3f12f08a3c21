import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ContentTables } from '../tables.ts'

type ContentDb = Db<ContentTables>

/** Deletes a version that has no copies any more. */
export async function deleteVersionRow(tx: ContentDb, id: number): Promise<void> {
  await tx.deleteFrom('content_view_versions').where('id', '=', id).execute()
}

/** Deletes a view whose versions have no copies any more, with its versions. */
export async function deleteViewRow(tx: ContentDb, id: number): Promise<void> {
  await tx.deleteFrom('content_view_components').where('composite_id', '=', id).execute()
  await deleteVersionComponents(tx, id)
  await tx.deleteFrom('content_views').where('id', '=', id).execute()
}

/** The views of an organization that people have made, composite ones first: what they are made of can go after them. */
export async function listMadeViews(db: ContentDb, organizationId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('content_views')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('is_default', '=', false)
    .orderBy('is_composite', 'desc')
    .execute()
  return rows.map(({ id }) => id)
}

/** Deletes a view that may be shown anywhere, with all its versions and copies. */
export async function deleteShownView(tx: ContentDb, id: number): Promise<void> {
  const versions = sql`(select id from content_view_versions where view_id = ${id})`
  const { rows } = await sql<{ set_id: number }>`
    delete from repositories where version_id in ${versions} returning set_id`.execute(tx)
  await sql`
    delete from content_sets s where s.id = any(${rows.map(({ set_id }) => set_id)}::bigint[])
      and not exists (select 1 from repositories r where r.set_id = s.id)`.execute(tx)
  await deleteViewRow(tx, id)
}

async function deleteVersionComponents(tx: ContentDb, viewId: number): Promise<void> {
  await sql`
    delete from content_view_version_components made using content_view_versions n
    where n.id = made.version_id and n.view_id = ${viewId}`.execute(tx)
}
