import { timestamp } from '../../platform/http/timestamps.ts'
import { contentTypes } from '../types/index.ts'
import type { VersionDetails, VersionLink, VersionRepository } from './version-details-store.ts'
import type { ContentViewVersion } from './version-service.ts'
import type { VersionRecord } from './version-store.ts'
import { presentHistory } from './view-presenter.ts'

export function presentVersion({ version, details, role }: ContentViewVersion): object {
  const { id, major, minor, view_id, view_name: name, view_label: label } = version
  const components = details.components.get(id) ?? []
  const composites = details.composites.get(id) ?? []
  const repositories = details.repositories.get(id) ?? []
  const [lastEvent] = details.lastEvents.get(id) ?? []
  return {
    id,
    name: `${name} ${major}.${minor}`,
    version: `${major}.${minor}`,
    major,
    minor,
    description: version.description,
    default: version.is_default,
    content_view_id: view_id,
    content_view: { id: view_id, name, label },
    organization_id: version.organization_id,
    composite_content_view_ids: [...new Set(composites.map((composite) => composite.view_id))],
    composite_content_view_version_ids: composites.map((composite) => composite.id),
    components: components.map(presentComponent),
    environments: presentEnvironments(version, details, role !== 'viewer'),
    repositories: repositories.map(presentRepository),
    ...countUnits(repositories),
    last_event: lastEvent === undefined ? null : presentHistory(lastEvent),
    active_history: [],
    permissions: { deletable: role === 'manager' && isUnused(version, details) },
    created_at: timestamp(version.created_at),
    updated_at: timestamp(version.updated_at),
  }
}

function presentComponent({ id, major, minor, view_id, view_name, view_label }: VersionLink): object {
  return {
    id,
    name: `${view_name} ${major}.${minor}`,
    label: view_label,
    version: `${major}.${minor}`,
    content_view_id: view_id,
    content_view: { id: view_id, name: view_name, label: view_label },
  }
}

function presentEnvironments(version: VersionRecord, details: VersionDetails, isEditor: boolean): object[] {
  const environments = details.environments.get(version.id) ?? []
  const permissions = { readable: true, promotable_or_removable: isEditor && !version.is_default }
  return environments.map(({ id, name, label, published_at }) => ({
    id,
    name,
    label,
    publish_date: timestamp(published_at ?? version.created_at),
    permissions,
  }))
}

function presentRepository({ id, name, label, content_type, library_instance_id }: VersionRepository): object {
  return { id, name, label, content_type, library_instance_id: library_instance_id ?? id }
}

const countedKinds: readonly { readonly kind: string; readonly key: string }[] = contentTypes
  .flatMap(({ unitKinds }) => unitKinds)
  .flatMap(({ kind, countKey }) => (countKey === undefined ? [] : [{ kind, key: `${countKey}_count` }]))

/** How many units of each kind a version holds; one that two of its repositories hold counts twice. */
function countUnits(repositories: readonly VersionRepository[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { kind, key } of countedKinds) {
    sums[key] = repositories.reduce((sum, { counts }) => sum + (counts[kind] ?? 0), sums[key] ?? 0)
  }
  return sums
}

/** Whether no environment shows it and nothing is made of it, or is to be. */
function isUnused({ id, is_default }: VersionRecord, { environments, composites, awaited }: VersionDetails): boolean {
  return !is_default && !environments.has(id) && !composites.has(id) && !awaited.has(id)
}
