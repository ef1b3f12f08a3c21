import { sql } from 'kysely'
import { type Db, isUniqueViolation } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { ViewFilter } from '../filters/filter-store.ts'
import type { ContentTables } from '../tables.ts'
import type { ViewRow } from '../view-tables.ts'

type ContentDb = Db<ContentTables>

export interface VersionNumber {
  readonly major: number
  readonly minor: number
}

export interface NewVersion {
  /** The next one when it is not given. */
  readonly number: VersionNumber | undefined
  readonly description: string | null
  readonly filters: readonly ViewFilter[]
  /** The versions of components that it is made of. */
  readonly componentIds: readonly number[]
}

/**
 * Adds a version to a view that is locked.
 *
 * @throws AppError `conflict` when there is one of that number
 */
export async function insertVersionOf(
  tx: ContentDb,
  view: ViewRow,
  { number, description, filters, componentIds }: NewVersion,
): Promise<number> {
  const { major, minor } = number ?? { major: view.next_major, minor: 0 }
  const id = await insertNumbered(tx, view, { major, minor, description, applied_filters: JSON.stringify(filters) })
  const next_major = Math.max(view.next_major, major + 1)
  await tx.updateTable('content_views').set({ next_major }).where('id', '=', view.id).execute()
  await sql`
    insert into content_view_version_components (version_id, component_id)
    select ${id}, * from unnest(${componentIds as number[]}::bigint[])`.execute(tx)
  return id
}

async function insertNumbered(
  tx: ContentDb,
  view: ViewRow,
  version: VersionNumber & { readonly description: string | null; readonly applied_filters: string },
): Promise<number> {
  try {
    const { id } = await tx
      .insertInto('content_view_versions')
      .values({ view_id: view.id, ...version })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  } catch (error) {
    if (!isUniqueViolation(error, 'content_view_versions_number_key')) throw error
    const { major, minor } = version
    throw new AppError(
      'conflict',
      `Cannot publish the content view "${view.name}": it has a version ${major}.${minor}`,
      {
        cause: error,
      },
    )
  }
}

export async function hasVersion(db: ContentDb, viewId: number, { major, minor }: VersionNumber): Promise<boolean> {
  const row = await db
    .selectFrom('content_view_versions')
    .select('id')
    .where('view_id', '=', viewId)
    .where('major', '=', major)
    .where('minor', '=', minor)
    .executeTakeFirst()
  return row !== undefined
}

/** An environment and the one that comes before it. */
export interface Place {
  readonly id: number
  readonly name: string
  readonly priorId: number | null
}

/** All environments of an organization: Library first, each one after the one that comes before it. */
export async function listPlaces(db: ContentDb, organizationId: number): Promise<Place[]> {
  const { rows } = await sql<Place>`
    with recursive path as (
      select id, name, prior_id, 0 as depth from environments where organization_id = ${organizationId} and is_library
      union all
      select e.id, e.name, e.prior_id, path.depth + 1 from environments e join path on e.prior_id = path.id
    )
    select id, name, prior_id as "priorId" from path order by depth, id`.execute(db)
  return rows
}

/** The environments that show a version. */
export async function listEnvironmentsOf(db: ContentDb, versionId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('content_view_environments')
    .select('environment_id')
    .where('version_id', '=', versionId)
    .execute()
  return rows.map(({ environment_id: id }) => id)
}

/** Which version of a view each environment shows. */
export async function listPlacementsOf(
  db: ContentDb,
  viewId: number,
): Promise<{ readonly environment_id: number; readonly version_id: number }[]> {
  return db
    .selectFrom('content_view_environments')
    .select(['environment_id', 'version_id'])
    .where('view_id', '=', viewId)
    .execute()
}

export async function listVersionIds(db: ContentDb, viewId: number): Promise<number[]> {
  const rows = await db.selectFrom('content_view_versions').select('id').where('view_id', '=', viewId).execute()
  return rows.map(({ id }) => id)
}
