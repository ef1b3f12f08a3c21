import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { RepositoryAttributes } from '../content-type.ts'
import type { ContentTables } from '../tables.ts'
import type { VersionPart } from './version-part.ts'

type ContentDb = Db<ContentTables>

/** What a repository has to give to a version that is made now. */
export interface SourcePart extends VersionPart {
  readonly name: string
  readonly contentType: string
  readonly attributes: RepositoryAttributes
  readonly organizationId: number
  /** Its latest content was never published: the metadata is to be written first. */
  readonly lacksMetadata: boolean
}

const attributes = sql`root.type_attributes || jsonb_build_object('checksum_type', root.checksum_type) as attributes`

/** What the repositories of a view hold now, each with the publication of just that. */
export async function listSelectedParts(db: ContentDb, viewId: number): Promise<SourcePart[]> {
  const { rows } = await sql<SourcePart>`
    select r.id as "libraryId", r.root_id as "rootId", root.name, root.content_type as "contentType", ${attributes}, p.organization_id as "organizationId",
      r.set_id as "setId", s.latest_version as "setVersion", latest.id as "publicationId",
      latest.id is null and (s.latest_version > 0 or r.publication_id is not null) as "lacksMetadata"
    from content_view_repositories chosen
    join repositories r on r.id = chosen.repository_id
    join root_repositories root on root.id = r.root_id
    join products p on p.id = root.product_id
    join content_sets s on s.id = r.set_id
    left join lateral (
      select max(pub.id) as id from publications pub where pub.set_id = s.id and pub.set_version = s.latest_version
    ) as latest on true
    where chosen.view_id = ${viewId}
    order by r.id`.execute(db)
  return rows
}

/** The versions of its components that a composite view is made of now; one that was never published has none. */
export async function listComponentVersions(db: ContentDb, compositeId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select coalesce(component.version_id, latest.id) as id
    from content_view_components component
    left join lateral (
      select n.id from content_view_versions n where n.view_id = component.view_id
      order by n.major desc, n.minor desc limit 1
    ) as latest on true
    where component.composite_id = ${compositeId} and coalesce(component.version_id, latest.id) is not null
    order by 1`.execute(db)
  return rows.map(({ id }) => id)
}

/** What versions hold, that of the newest version first. */
export async function listPartsOfVersions(db: ContentDb, versionIds: readonly number[]): Promise<SourcePart[]> {
  const { rows } = await sql<SourcePart>`
    select a.library_instance_id as "libraryId", a.root_id as "rootId", root.name, root.content_type as "contentType", ${attributes}, p.organization_id as "organizationId",
      a.set_id as "setId", a.set_version as "setVersion", a.publication_id as "publicationId", false as "lacksMetadata"
    from repositories a join root_repositories root on root.id = a.root_id
    join products p on p.id = root.product_id
    where a.version_id = any(${versionIds as number[]}::bigint[]) and a.environment_id is null
    order by a.version_id desc, a.id`.execute(db)
  return rows
}
