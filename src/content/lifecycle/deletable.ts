import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { ContentTables } from '../tables.ts'
import type { ViewRow } from '../view-tables.ts'

type ContentDb = Db<ContentTables>

/** @throws AppError `conflict` that names the environments that show these versions, or what is made of them */
export async function refuseUsedVersions(db: ContentDb, view: ViewRow, versionIds: readonly number[]): Promise<void> {
  const uses = await listUses(db, sql`n.view_id = ${view.id} and n.id = any(${versionIds as number[]}::bigint[])`)
  refuse(`versions of the content view "${view.name}"`, uses)
}

/** @throws AppError `conflict` that names the environments that show the view, or the composite views that it is part of */
export async function refuseUsedView(db: ContentDb, view: ViewRow): Promise<void> {
  const { rows: composites } = await sql<{ use: string }>`
    select distinct 'component of the content view "' || w.name || '"' as use
    from content_view_components component join content_views w on w.id = component.composite_id
    where component.view_id = ${view.id} order by 1`.execute(db)
  const uses = await listUses(db, sql`n.view_id = ${view.id} and w.id = ${view.id}`)
  refuse(`the content view "${view.name}"`, [...uses, ...composites.map(({ use }) => use)])
}

function refuse(subject: string, uses: readonly string[]): void {
  if (uses.length > 0) throw new AppError('conflict', `Cannot delete ${subject}: still in use: ${uses.join('; ')}`)
}

/** How the versions that are wanted are used, in words; the tables of versions and views are called n and w. */
async function listUses(db: ContentDb, isWanted: ReturnType<typeof sql>): Promise<string[]> {
  const number = sql`n.major || '.' || n.minor`
  const wanted = sql`from content_view_versions n join content_views w on w.id = n.view_id`
  const { rows } = await sql<{ use: string }>`
    select ${number} || ' in environment "' || e.name || '"' as use
    ${wanted} join content_view_environments place on place.version_id = n.id
    join environments e on e.id = place.environment_id where ${isWanted}
    union
    select ${number} || ' as a component of the content view "' || composite.name || '"'
    ${wanted} join content_view_components component on component.version_id = n.id
    join content_views composite on composite.id = component.composite_id where ${isWanted}
    union
    select ${number} || ' in ' || composite.name || ' ' || made.major || '.' || made.minor
    ${wanted} join content_view_version_components used on used.component_id = n.id
    join content_view_versions made on made.id = used.version_id
    join content_views composite on composite.id = made.view_id where ${isWanted}
    order by 1`.execute(db)
  return rows.map(({ use }) => use)
}
