import type { Generated, JSONColumnType, Selectable } from 'kysely'

interface Stamped {
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

interface EnvironmentsTable extends Stamped {
  id: Generated<number>
  organization_id: number
  name: string
  label: string
  description: string | null
  is_library: Generated<boolean>
  prior_id: number | null
}

interface ContentViewsTable extends Stamped {
  id: Generated<number>
  organization_id: number
  name: string
  label: string
  description: string | null
  is_default: Generated<boolean>
  is_composite: Generated<boolean>
  auto_publish: Generated<boolean>
  solve_dependencies: Generated<boolean>
  import_only: Generated<boolean>
  next_major: Generated<number>
}

interface ContentViewVersionsTable extends Stamped {
  id: Generated<number>
  view_id: number
  major: number
  minor: number
  description: string | null
  applied_filters: JSONColumnType<readonly object[], string | undefined, string>
}

interface ContentViewEnvironmentsTable {
  view_id: number
  environment_id: number
  version_id: number
}

interface ContentViewRepositoriesTable {
  view_id: number
  repository_id: number
}

interface ContentViewComponentsTable {
  id: Generated<number>
  composite_id: number
  view_id: number
  version_id: number | null
}

interface ContentViewVersionComponentsTable {
  version_id: number
  component_id: number
}

export type ViewAction = 'publish' | 'promotion' | 'removal'

interface ContentViewHistoryTable {
  id: Generated<number>
  version_id: number
  action: ViewAction
  environment_id: number | null
  environment_name: string | null
  task_id: string | null
  username: string
  description: string | null
  created_at: Generated<Date>
}

interface ContentViewFiltersTable extends Stamped {
  id: Generated<number>
  view_id: number
  name: string
  type: string
  is_inclusion: boolean
  description: string | null
  options: Generated<string[]>
}

interface ContentViewFilterRepositoriesTable {
  filter_id: number
  repository_id: number
}

interface ContentViewFilterRulesTable extends Stamped {
  id: Generated<number>
  filter_id: number
  attributes: JSONColumnType<Record<string, unknown>, string, string>
}

/** Environments and content views. */
export interface ViewTables {
  environments: EnvironmentsTable
  content_views: ContentViewsTable
  content_view_versions: ContentViewVersionsTable
  content_view_environments: ContentViewEnvironmentsTable
  content_view_repositories: ContentViewRepositoriesTable
  content_view_components: ContentViewComponentsTable
  content_view_version_components: ContentViewVersionComponentsTable
  content_view_history: ContentViewHistoryTable
  content_view_filters: ContentViewFiltersTable
  content_view_filter_repositories: ContentViewFilterRepositoriesTable
  content_view_filter_rules: ContentViewFilterRulesTable
}

export type EnvironmentRow = Selectable<EnvironmentsTable>
export type ViewRow = Selectable<ContentViewsTable>
export type VersionRow = Selectable<ContentViewVersionsTable>
