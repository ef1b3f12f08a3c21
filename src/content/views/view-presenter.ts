import { timestamp } from '../../platform/http/timestamps.ts'
import type { ViewRow } from '../view-tables.ts'
import type { ComponentRecord } from './component-store.ts'
import type { ViewDetails, ViewVersion } from './view-details-store.ts'
import type { HistoryRecord } from './view-history-store.ts'
import type { ContentView } from './view-service.ts'

export function presentView({ view, details, role }: ContentView): object {
  const versions = details.versions.get(view.id) ?? []
  const components = details.components.get(view.id) ?? []
  return {
    ...presentAttributes(view),
    organization: presentOrganization(view, details),
    filtered: details.filtered.has(view.id),
    ...presentVersions(view, details),
    ...presentSelection(view, details),
    ...presentEnvironments(view, details, role !== 'viewer'),
    components: components.flatMap((component) => (component.version_id === null ? [] : [presentPart(component)])),
    component_ids: components.flatMap(({ version_id: id }) => (id === null ? [] : [id])),
    content_view_components: components.map(presentComponent),
    activation_keys: [],
    hosts: [],
    last_published: timestamp(versions.at(-1)?.created_at ?? null),
    last_task: presentLastTask(view, details),
    duplicate_repositories_to_publish: [],
    errors: null,
    permissions: permissionsOf(view, role),
  }
}

function presentAttributes(view: ViewRow): object {
  return {
    id: view.id,
    name: view.name,
    label: view.label,
    description: view.description,
    composite: view.is_composite,
    default: view.is_default,
    auto_publish: view.auto_publish,
    solve_dependencies: view.solve_dependencies,
    import_only: view.import_only,
    organization_id: view.organization_id,
    created_at: timestamp(view.created_at),
    updated_at: timestamp(view.updated_at),
  }
}

function presentOrganization({ organization_id: id }: ViewRow, { organizations }: ViewDetails): object {
  const { name, label } = organizations.get(id) ?? {}
  return { id, name, label }
}

function presentVersions({ id, next_major }: ViewRow, details: ViewDetails): object {
  const versions = details.versions.get(id) ?? []
  const environments = details.environments.get(id) ?? []
  const latest = versions.at(-1)
  return {
    version_count: versions.length,
    latest_version: latest === undefined ? null : numberOf(latest),
    latest_version_id: latest?.id ?? null,
    next_version: `${next_major}.0`,
    versions: versions.map((version) => ({
      id: version.id,
      version: numberOf(version),
      description: version.description,
      published: timestamp(version.created_at),
      environment_ids: environments.filter(({ version_id }) => version_id === version.id).map((one) => one.id),
    })),
  }
}

function presentSelection({ id: viewId }: ViewRow, details: ViewDetails): object {
  const repositories = details.repositories.get(viewId) ?? []
  return {
    repository_ids: repositories.map(({ id }) => id),
    repositories: repositories.map(({ id, name, label, content_type }) => ({ id, name, label, content_type })),
  }
}

function presentEnvironments({ id: viewId }: ViewRow, details: ViewDetails, isEditor: boolean): object {
  const environments = details.environments.get(viewId) ?? []
  const permissions = { readable: true, promotable_or_removable: isEditor }
  return { environments: environments.map(({ id, name, label }) => ({ id, name, label, permissions })) }
}

function presentLastTask({ id: viewId }: ViewRow, { tasks }: ViewDetails): object | null {
  const [last] = tasks.get(viewId) ?? []
  if (last === undefined) return null
  return {
    id: last.id,
    started_at: timestamp(last.started_at),
    ended_at: timestamp(last.ended_at),
    result: last.result,
  }
}

function permissionsOf({ is_default }: ViewRow, role: ContentView['role']): object {
  const edits = !is_default && (role === 'editor' || role === 'manager')
  return {
    view_content_views: true,
    edit_content_views: edits,
    publish_content_views: edits,
    promote_or_remove_content_views: edits,
    destroy_content_views: !is_default && role === 'manager',
  }
}

function numberOf({ major, minor }: Pick<ViewVersion, 'major' | 'minor'>): string {
  return `${major}.${minor}`
}

/** A component as the version that it is now. */
function presentPart(component: ComponentRecord): object {
  const number = `${component.major}.${component.minor}`
  return {
    id: component.version_id,
    name: `${component.view_name} ${number}`,
    label: component.view_label,
    version: number,
    content_view_id: component.view_id,
    content_view: { id: component.view_id, name: component.view_name, label: component.view_label },
  }
}

export function presentComponent(component: ComponentRecord): object {
  const { id, is_latest, version_id } = component
  return {
    id,
    composite_content_view: { id: component.composite_id },
    content_view: {
      id: component.view_id,
      name: component.view_name,
      label: component.view_label,
      description: component.view_description,
      next_version: `${component.next_major}.0`,
    },
    content_view_version: version_id === null ? null : presentPart(component),
    latest: is_latest,
  }
}

export function presentHistory(entry: HistoryRecord): object {
  const { environment_id, environment_name, task_id, task_state: state, task_result: result } = entry
  return {
    id: entry.id,
    version: `${entry.major}.${entry.minor}`,
    version_id: entry.version_id,
    publish: entry.action === 'publish',
    action: entry.action,
    environment: environment_id === null ? null : { id: environment_id, name: environment_name },
    // tasks are not kept for ever
    task: state === null ? null : { id: task_id, label: entry.task_label, state, result },
    user: entry.username,
    description: entry.description,
    status: statusOf(entry),
    created_at: timestamp(entry.created_at),
  }
}

/** History is written when the deed is done; what the task does after that may still go on or fail. */
function statusOf({ task_state: state, task_result: result }: HistoryRecord): string {
  if (state !== null && state !== 'stopped') return 'in progress'
  return result === 'error' || result === 'cancelled' ? 'failed' : 'successful'
}
