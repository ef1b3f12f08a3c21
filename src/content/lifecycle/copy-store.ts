import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { deleteUnused, type FormerPublication, keepFormer, retireUnused } from '../publications/publication-store.ts'
import { purgeVersions } from '../sets/content-set-store.ts'
import type { ContentTables } from '../tables.ts'
import type { VersionPart } from './version-part.ts'

type ContentDb = Db<ContentTables>

/** A version of a view in an environment of its organization. */
export interface Placement {
  readonly viewId: number
  readonly versionId: number
  readonly environmentId: number
}

/**
 * Adds the archived copies of a version that was just made. They never change.
 *
 * @returns false when a repository is gone
 */
export async function insertArchivedCopies(
  tx: ContentDb,
  versionId: number,
  parts: readonly VersionPart[],
): Promise<boolean> {
  const column = (name: keyof VersionPart) => parts.map((part) => part[name])
  const result = await sql`
    insert into repositories (root_id, version_id, library_instance_id, set_id, set_version, publication_id,
      relative_path, last_contents_changed)
    select root.id, ${versionId}, part.library_id, part.set_id, part.set_version, part.publication_id,
      concat_ws('/', o.label, 'content_views', w.label, n.major || '.' || n.minor, 'custom', p.label, root.label), now()
    from unnest(
      ${column('rootId')}::bigint[], ${column('libraryId')}::bigint[], ${column('setId')}::bigint[],
      ${column('setVersion')}::integer[], ${column('publicationId')}::bigint[]
    ) as part (root_id, library_id, set_id, set_version, publication_id)
    join content_view_versions n on n.id = ${versionId}
    join content_views w on w.id = n.view_id
    join root_repositories root on root.id = part.root_id
    join products p on p.id = root.product_id
    join organizations o on o.id = w.organization_id`.execute(tx)
  return Number(result.numAffectedRows ?? 0) === parts.length
}

/** Shows a version in an environment, in place of the version of the same view that was there, for all clients at once. */
export async function placeVersion(tx: ContentDb, placement: Placement): Promise<void> {
  const former = await listPublications(tx, placement)
  await deleteLeavingCopies(tx, placement)
  await keepReplaced(tx, placement)
  await updateStayingCopies(tx, placement)
  await insertNewCopies(tx, placement)
  await retireUnused(tx, former)
  const { viewId, environmentId, versionId } = placement
  await tx
    .insertInto('content_view_environments')
    .values({ view_id: viewId, environment_id: environmentId, version_id: versionId })
    .onConflict((conflict) => conflict.columns(['view_id', 'environment_id']).doUpdateSet({ version_id: versionId }))
    .execute()
}

/** Takes a view out of an environment. False when it is not there. */
export async function removePlacement(tx: ContentDb, place: Omit<Placement, 'versionId'>): Promise<boolean> {
  const former = await listPublications(tx, place)
  await sql`delete from repositories c where ${isCopyIn(place)}`.execute(tx)
  await retireUnused(tx, former)
  const result = await tx
    .deleteFrom('content_view_environments')
    .where('view_id', '=', place.viewId)
    .where('environment_id', '=', place.environmentId)
    .executeTakeFirst()
  return result.numDeletedRows > 0n
}

/** Deletes the archived copies of a version with the content that only they had. */
export async function deleteArchivedCopies(tx: ContentDb, versionId: number): Promise<void> {
  const { rows } = await sql<{ set_id: number; publication_id: number | null }>`
    delete from repositories where version_id = ${versionId} and environment_id is null
    returning set_id, publication_id`.execute(tx)
  const setIds = rows.map(({ set_id }) => set_id)
  await deleteUnused(
    tx,
    rows.flatMap(({ publication_id: id }) => (id === null ? [] : [id])),
  )
  await sql`
    delete from content_sets s where s.id = any(${setIds}::bigint[])
      and not exists (select 1 from repositories r where r.set_id = s.id)`.execute(tx)
  await purgeVersions(tx, setIds)
}

/** The condition that a repository, whose table is called c, is what an environment shows of a view. */
function isCopyIn({ viewId, environmentId }: Omit<Placement, 'versionId'>): RawBuilder<boolean> {
  return sql`c.environment_id = ${environmentId}
    and c.version_id in (select id from content_view_versions where view_id = ${viewId})`
}

async function listPublications(tx: ContentDb, place: Omit<Placement, 'versionId'>): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct c.publication_id as id from repositories c
    where ${isCopyIn(place)} and c.publication_id is not null`.execute(tx)
  return rows.map(({ id }) => id)
}

async function deleteLeavingCopies(tx: ContentDb, { versionId, ...place }: Placement): Promise<void> {
  await sql`
    delete from repositories c where ${isCopyIn(place)} and not exists (
      select 1 from repositories a where a.version_id = ${versionId} and a.environment_id is null and a.root_id = c.root_id)`.execute(
    tx,
  )
}

/** What clients were shown by copies that now get another publication stays resolvable for a day. */
async function keepReplaced(tx: ContentDb, { versionId, ...place }: Placement): Promise<void> {
  const { rows } = await sql<FormerPublication>`
    select c.id as "repositoryId", c.publication_id as "publicationId" from repositories c
    join repositories a on a.root_id = c.root_id and a.version_id = ${versionId} and a.environment_id is null
    where ${isCopyIn(place)} and c.publication_id <> coalesce(a.publication_id, 0)`.execute(tx)
  await keepFormer(tx, rows)
}

/** What stays keeps its id, and where nothing differs also the time of its last change. */
async function updateStayingCopies(tx: ContentDb, { versionId, ...place }: Placement): Promise<void> {
  await sql`
    update repositories c set version_id = ${versionId}, set_id = a.set_id, set_version = a.set_version,
      publication_id = a.publication_id,
      last_contents_changed =
        case when c.publication_id is distinct from a.publication_id then now() else c.last_contents_changed end
    from repositories a
    where ${isCopyIn(place)} and a.version_id = ${versionId} and a.environment_id is null and a.root_id = c.root_id`.execute(
    tx,
  )
}

async function insertNewCopies(tx: ContentDb, { viewId, versionId, environmentId }: Placement): Promise<void> {
  await sql`
    insert into repositories (root_id, environment_id, version_id, library_instance_id, set_id, set_version,
      publication_id, relative_path, last_contents_changed)
    select a.root_id, ${environmentId}, ${versionId}, a.library_instance_id, a.set_id, a.set_version, a.publication_id,
      concat_ws('/', o.label, e.label, w.label, 'custom', p.label, root.label), now()
    from repositories a
    join root_repositories root on root.id = a.root_id
    join products p on p.id = root.product_id
    join organizations o on o.id = p.organization_id
    join environments e on e.id = ${environmentId}
    join content_views w on w.id = ${viewId}
    where a.version_id = ${versionId} and a.environment_id is null and not exists (
      select 1 from repositories c
      where c.root_id = a.root_id and c.version_id = ${versionId} and c.environment_id = ${environmentId})`.execute(tx)
}
