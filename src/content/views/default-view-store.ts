import type { Db } from '../../platform/db/database.ts'
import type { ContentTables } from '../tables.ts'

type ContentDb = Db<ContentTables>

/** Where the repositories of an organization are that people make: in Library, and in the one version of the default view. */
export interface LibraryPlace {
  readonly environmentId: number
  readonly environmentLabel: string
  readonly viewId: number
  readonly versionId: number
}

/** Gives a new organization its Library and its default view. */
export async function insertLibraryPlace(tx: ContentDb, organizationId: number): Promise<void> {
  const library = await tx
    .insertInto('environments')
    .values({ organization_id: organizationId, name: 'Library', label: 'Library', is_library: true })
    .returning('id')
    .executeTakeFirstOrThrow()
  const view = await tx
    .insertInto('content_views')
    .values({
      organization_id: organizationId,
      name: 'Default Organization View',
      label: 'Default_Organization_View',
      is_default: true,
      next_major: 2,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const version = await tx
    .insertInto('content_view_versions')
    .values({ view_id: view.id, major: 1, minor: 0 })
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx
    .insertInto('content_view_environments')
    .values({ view_id: view.id, environment_id: library.id, version_id: version.id })
    .execute()
}

/** Undefined when there is no such organization. */
export async function findLibraryPlace(db: ContentDb, organizationId: number): Promise<LibraryPlace | undefined> {
  return db
    .selectFrom('content_views as w')
    .innerJoin('content_view_environments as place', 'place.view_id', 'w.id')
    .innerJoin('environments as e', 'e.id', 'place.environment_id')
    .select(['e.id as environmentId', 'e.label as environmentLabel', 'w.id as viewId', 'place.version_id as versionId'])
    .where('w.organization_id', '=', organizationId)
    .where('w.is_default', '=', true)
    .executeTakeFirst()
}
