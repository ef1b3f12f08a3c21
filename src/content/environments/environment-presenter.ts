import { timestamp } from '../../platform/http/timestamps.ts'
import { contentTypes } from '../types/index.ts'
import type { EnvironmentView } from './environment-service.ts'
import type { EnvironmentCounts } from './environment-store.ts'

export function presentEnvironment({ environment, successor, counts, role }: EnvironmentView): object {
  const { id, name, label, description, organization_id, created_at, updated_at } = environment
  const { prior_id, prior_name } = environment
  const isManager = role === 'manager'
  return {
    id,
    name,
    label,
    description,
    library: environment.is_library,
    prior: prior_id === null ? null : { id: prior_id, name: prior_name },
    successor: successor ?? null,
    organization_id,
    organization: {
      name: environment.organization_name,
      label: environment.organization_label,
      id: organization_id,
    },
    registry_name_pattern: null,
    registry_unauthenticated_pull: false,
    counts: presentCounts(counts),
    permissions: {
      view_lifecycle_environments: true,
      create_lifecycle_environments: isManager,
      edit_lifecycle_environments: isManager,
      destroy_lifecycle_environments: isManager && !environment.is_library,
      promote_or_remove_content_views_to_environments: role !== 'viewer',
    },
    created_at: timestamp(created_at),
    updated_at: timestamp(updated_at),
  }
}

function presentCounts({ views, products, repositories }: EnvironmentCounts): object {
  const typed = contentTypes.map(({ name }) => [`${name}_repositories`, repositories[name] ?? 0])
  return { content_hosts: 0, content_views: views, products, ...Object.fromEntries(typed) }
}
