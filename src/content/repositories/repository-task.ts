import type { Actor } from '../../platform/auth/actor.ts'
import type { NewChildTask, NewTask } from '../../platform/tasks/task-store.ts'
import { organizationScope } from '../organizations/organization-access.ts'
import type { RepositoryRecord } from './repository-store.ts'

export interface RepositoryWork {
  readonly kind: string
  readonly label: string
  /** In words, such as "Synchronize". */
  readonly action: string
  /** What the task is told besides the repository. */
  readonly input?: Readonly<Record<string, unknown>>
}

/** A task that works on one repository; those of one root repository run one after the other. */
export function repositoryTask(repository: RepositoryRecord, actor: Actor, work: RepositoryWork): NewTask {
  return {
    ...repositoryPart(repository, work),
    user: { id: actor.userId, login: actor.login },
    scope: organizationScope(repository.organization_id),
  }
}

/** The same as a part of a task. */
export function repositoryPart(repository: RepositoryRecord, work: RepositoryWork) {
  const { id, name, label, product_id, product_name, product_label, organization_id, organization_name } = repository
  return {
    kind: work.kind,
    label: work.label,
    action: `${work.action} repository '${name}'; product '${product_name}'; organization '${organization_name}'`,
    humanizedAction: work.action,
    humanizedInput: [
      ['repository', { text: `repository '${name}'`, link: null }],
      ['product', { text: `product '${product_name}'`, link: `/products/${product_id}/` }],
      ['organization', { text: `organization '${organization_name}'`, link: `/organizations/${organization_id}/edit` }],
    ],
    input: {
      repository: { id, name, label },
      product: { id: product_id, name: product_name, label: product_label, cp_id: String(product_id) },
      organization: { id: organization_id, name: organization_name, label: repository.organization_label },
      ...work.input,
    },
    resources: [{ name: repositoryResource(repository.root_id), mode: 'exclusive' }],
  } satisfies NewChildTask
}

export function repositoryResource(rootId: number): string {
  return `repository:${rootId}`
}
