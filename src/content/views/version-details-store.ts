import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ContentTables } from '../tables.ts'
import type { HistoryRecord } from './view-history-store.ts'

type ContentDb = Db<ContentTables>

/** Since when an environment shows a version, as far as history tells. */
export interface VersionEnvironment {
  readonly version_id: number
  readonly id: number
  readonly name: string
  readonly label: string
  readonly published_at: Date | null
}

/** A repository as a version holds it. */
export interface VersionRepository {
  readonly version_id: number
  readonly id: number
  readonly name: string
  readonly label: string
  readonly content_type: string
  readonly library_instance_id: number | null
  /** How many units of each kind it holds. */
  readonly counts: Readonly<Record<string, number>>
}

/** Of a version of a composite view: a version that it is made of, and the other way round. */
export interface VersionLink {
  readonly version_id: number
  readonly id: number
  readonly major: number
  readonly minor: number
  readonly view_id: number
  readonly view_name: string
  readonly view_label: string
}

/** What many versions are shown with, by their ids. */
export interface VersionDetails {
  readonly environments: ReadonlyMap<number, readonly VersionEnvironment[]>
  readonly repositories: ReadonlyMap<number, readonly VersionRepository[]>
  readonly components: ReadonlyMap<number, readonly VersionLink[]>
  /** The versions of composite views that are made of it. */
  readonly composites: ReadonlyMap<number, readonly VersionLink[]>
  /** The versions that composite views are to be published from next. */
  readonly awaited: ReadonlySet<number>
  readonly lastEvents: ReadonlyMap<number, readonly HistoryRecord[]>
}

/** Gives all that these versions are shown with, in as many queries as for one. */
export async function findVersionDetails(db: ContentDb, versionIds: readonly number[]): Promise<VersionDetails> {
  const ids = sql`${versionIds as number[]}::bigint[]`
  const [environments, repositories, components, composites, awaited, lastEvents] = await Promise.all([
    sql<VersionEnvironment>`
      select place.version_id, e.id, e.name, e.label, (
        select max(history.created_at) from content_view_history history
        where history.version_id = place.version_id and history.environment_id = e.id and history.action <> 'removal'
      ) as published_at
      from content_view_environments place join environments e on e.id = place.environment_id
      where place.version_id = any(${ids}) order by e.id`.execute(db),
    sql<VersionRepository>`
      select r.version_id, r.id, root.name, root.label, root.content_type, r.library_instance_id, v.counts
      from repositories r
      join content_view_versions n on n.id = r.version_id join content_views w on w.id = n.view_id
      join root_repositories root on root.id = r.root_id
      join content_sets s on s.id = r.set_id
      join content_set_versions v on v.set_id = s.id and v.number = coalesce(r.set_version, s.latest_version)
      where r.version_id = any(${ids}) and (w.is_default or r.environment_id is null) order by r.id`.execute(db),
    linked(db, ids, { near: sql`used.version_id`, far: sql`used.component_id` }),
    linked(db, ids, { near: sql`used.component_id`, far: sql`used.version_id` }),
    sql<{ version_id: number }>`
      select distinct version_id from content_view_components where version_id = any(${ids})`.execute(db),
    sql<HistoryRecord>`
      select distinct on (history.version_id) history.*, n.major, n.minor,
        t.label as task_label, t.state as task_state, t.result as task_result
      from content_view_history history join content_view_versions n on n.id = history.version_id
      left join tasks t on t.id = history.task_id
      where history.version_id = any(${ids}) order by history.version_id, history.id desc`.execute(db),
  ])
  return {
    environments: byVersion(environments.rows),
    repositories: byVersion(repositories.rows),
    components,
    composites,
    awaited: new Set(awaited.rows.map(({ version_id }) => version_id)),
    lastEvents: byVersion(lastEvents.rows),
  }
}

type Fragment = ReturnType<typeof sql>

/** The versions at the far ends of links from these. */
async function linked(
  db: ContentDb,
  ids: Fragment,
  { near, far }: { readonly near: Fragment; readonly far: Fragment },
): Promise<Map<number, VersionLink[]>> {
  const { rows } = await sql<VersionLink>`
    select ${near} as version_id, n.id, n.major, n.minor, n.view_id, w.name as view_name, w.label as view_label
    from content_view_version_components used
    join content_view_versions n on n.id = ${far} join content_views w on w.id = n.view_id
    where ${near} = any(${ids}) order by n.id`.execute(db)
  return byVersion(rows)
}

function byVersion<Row extends { readonly version_id: number }>(rows: readonly Row[]): Map<number, Row[]> {
  return Map.groupBy(rows, ({ version_id }) => version_id)
}
