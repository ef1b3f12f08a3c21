import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { TaskRow } from '../../platform/tasks/tables.ts'
import type { ContentTables, OrganizationRow } from '../tables.ts'
import { type ComponentRecord, listComponents } from './component-store.ts'

type ContentDb = Db<ContentTables>

export interface SelectedRepository {
  readonly view_id: number
  readonly id: number
  readonly name: string
  readonly label: string
  readonly content_type: string
}

export interface ViewEnvironment {
  readonly view_id: number
  readonly version_id: number
  readonly id: number
  readonly name: string
  readonly label: string
}

export interface ViewVersion {
  readonly view_id: number
  readonly id: number
  readonly major: number
  readonly minor: number
  readonly description: string | null
  readonly created_at: Date
}

/** The last task that did something with a view. */
export type ViewTask = Pick<TaskRow, 'id' | 'started_at' | 'ended_at' | 'result'> & { readonly view_id: number }

/** What many views are shown with; everything but the organizations by the ids of the views. */
export interface ViewDetails {
  readonly organizations: ReadonlyMap<number, OrganizationRow>
  readonly repositories: ReadonlyMap<number, readonly SelectedRepository[]>
  readonly environments: ReadonlyMap<number, readonly ViewEnvironment[]>
  /** In the order of their numbers. */
  readonly versions: ReadonlyMap<number, readonly ViewVersion[]>
  readonly components: ReadonlyMap<number, readonly ComponentRecord[]>
  readonly tasks: ReadonlyMap<number, readonly ViewTask[]>
  /** The views that have filters. */
  readonly filtered: ReadonlySet<number>
}

/** Gives all that these views are shown with, in as many queries as for one. */
export async function findViewDetails(db: ContentDb, viewIds: readonly number[]): Promise<ViewDetails> {
  const ids = sql`${viewIds as number[]}::bigint[]`
  const [organizations, repositories, environments, versions, components, tasks, filtered] = await Promise.all([
    sql<OrganizationRow>`select * from organizations
      where id in (select organization_id from content_views where id = any(${ids}))`.execute(db),
    sql<SelectedRepository>`
      select chosen.view_id, r.id, root.name, root.label, root.content_type
      from content_view_repositories chosen
      join repositories r on r.id = chosen.repository_id join root_repositories root on root.id = r.root_id
      where chosen.view_id = any(${ids}) order by r.id`.execute(db),
    sql<ViewEnvironment>`
      select place.view_id, place.version_id, e.id, e.name, e.label
      from content_view_environments place join environments e on e.id = place.environment_id
      where place.view_id = any(${ids}) order by e.id`.execute(db),
    sql<ViewVersion>`
      select view_id, id, major, minor, description, created_at from content_view_versions
      where view_id = any(${ids}) order by major, minor`.execute(db),
    listComponents(db, viewIds),
    sql<ViewTask>`
      select distinct on (n.view_id) n.view_id, t.id, t.started_at, t.ended_at, t.result
      from content_view_versions n
      join content_view_history history on history.version_id = n.id join tasks t on t.id = history.task_id
      where n.view_id = any(${ids}) order by n.view_id, history.id desc`.execute(db),
    sql<{ view_id: number }>`select distinct view_id from content_view_filters where view_id = any(${ids})`.execute(db),
  ])
  return {
    organizations: new Map(organizations.rows.map((row) => [row.id, row])),
    repositories: byView(repositories.rows),
    environments: byView(environments.rows),
    versions: byView(versions.rows),
    components: Map.groupBy(components, ({ composite_id }) => composite_id),
    tasks: byView(tasks.rows),
    filtered: new Set(filtered.rows.map(({ view_id }) => view_id)),
  }
}

function byView<Row extends { readonly view_id: number }>(rows: readonly Row[]): Map<number, Row[]> {
  return Map.groupBy(rows, ({ view_id }) => view_id)
}
