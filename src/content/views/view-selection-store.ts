import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ContentTables } from '../tables.ts'

type ContentDb = Db<ContentTables>

/**
 * Those of these ids that are repositories of the organization in Library. They are not deleted until the transaction ends.
 */
export async function lockLibraryRepositories(
  tx: ContentDb,
  organizationId: number,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ id: number }>`
    select r.id from repositories r
    join root_repositories root on root.id = r.root_id
    join products p on p.id = root.product_id
    where r.id = any(${ids as number[]}::bigint[]) and r.library_instance_id is null
      and p.organization_id = ${organizationId}
    order by r.id for key share of r`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

/** Replaces the repositories that a view is published from. */
export async function saveSelection(tx: ContentDb, viewId: number, repositoryIds: readonly number[]): Promise<void> {
  const ids = sql`${repositoryIds as number[]}::bigint[]`
  await sql`delete from content_view_repositories
    where view_id = ${viewId} and repository_id <> all(${ids})`.execute(tx)
  await sql`insert into content_view_repositories (view_id, repository_id)
    select ${viewId}, id from unnest(${ids}) as id order by id on conflict do nothing`.execute(tx)
}

/** Gives a new view the repositories, the components and the filters of another one. */
export async function copySelection(tx: ContentDb, fromId: number, toId: number): Promise<void> {
  await sql`insert into content_view_repositories (view_id, repository_id)
    select ${toId}, repository_id from content_view_repositories where view_id = ${fromId}`.execute(tx)
  await sql`insert into content_view_components (composite_id, view_id, version_id)
    select ${toId}, view_id, version_id from content_view_components where composite_id = ${fromId} order by id`.execute(
    tx,
  )
  await sql`insert into content_view_filters (view_id, name, type, is_inclusion, description, options)
    select ${toId}, name, type, is_inclusion, description, options from content_view_filters
    where view_id = ${fromId} order by id`.execute(tx)
  const filters = sql`content_view_filters filter
    join content_view_filters copied on copied.view_id = ${toId} and copied.name = filter.name`
  await sql`insert into content_view_filter_repositories (filter_id, repository_id)
    select copied.id, chosen.repository_id
    from ${filters} join content_view_filter_repositories chosen on chosen.filter_id = filter.id
    where filter.view_id = ${fromId}`.execute(tx)
  await sql`insert into content_view_filter_rules (filter_id, attributes)
    select copied.id, rule.attributes
    from ${filters} join content_view_filter_rules rule on rule.filter_id = filter.id
    where filter.view_id = ${fromId} order by rule.id`.execute(tx)
}
