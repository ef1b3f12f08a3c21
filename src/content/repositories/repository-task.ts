import type { Actor } from '../../platform/auth/actor.ts'
import type { NewTask } from '../../platform/tasks/task-store.ts'
import { organizationScope } from '../organizations/organization-access.ts'
import type { RepositoryRecord } from './repository-store.ts'

export interface TaskWords {
  readonly kind: string
  readonly label: string
  readonly verb: string
}

/** A task that changes a repository; those of one root repository run one after the other. */
export function repositoryTask(
  repository: RepositoryRecord,
  actor: Actor,
  { kind, label: taskLabel, verb }: TaskWords,
): NewTask {
  const { id, name, label, product_id, product_name, product_label } = repository
  const { organization_id, organization_name, organization_label } = repository
  return {
    kind,
    label: taskLabel,
    action: `${verb} repository '${name}'; product '${product_name}'; organization '${organization_name}'`,
    humanizedAction: verb,
    humanizedInput: [
      ['repository', { text: `repository '${name}'`, link: null }],
      ['product', { text: `product '${product_name}'`, link: `/products/${product_id}/` }],
      ['organization', { text: `organization '${organization_name}'`, link: `/organizations/${organization_id}/edit` }],
    ],
    input: {
      repository: { id, name, label },
      product: { id: product_id, name: product_name, label: product_label, cp_id: String(product_id) },
      organization: { id: organization_id, name: organization_name, label: organization_label },
    },
    resources: [{ name: `repository:${repository.root_id}`, mode: 'exclusive' }],
    user: { id: actor.userId, login: actor.login },
    scope: organizationScope(organization_id),
  }
}
