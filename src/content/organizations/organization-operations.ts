import type { Kysely } from 'kysely'
import { type Actor, forbidden, hasRight } from '../../platform/auth/actor.ts'
import type { TaskRow } from '../../platform/tasks/tables.ts'
import type { TaskService } from '../../platform/tasks/task-service.ts'
import type { ContentTables } from '../tables.ts'
import { deletionKinds } from '../upkeep/reclaim-space.ts'
import { organizationScope } from './organization-access.ts'
import type { OrganizationService } from './organization-service.ts'

export interface OrganizationOperationsParts {
  readonly db: Kysely<ContentTables>
  readonly organizations: OrganizationService
  readonly tasks: TaskService
}

/** What can be done with an organization and all that belongs to it. */
export class OrganizationOperations {
  readonly #parts: OrganizationOperationsParts

  constructor(parts: OrganizationOperationsParts) {
    this.#parts = parts
  }

  /** Starts to delete an organization with its products, repositories and credentials. */
  async deleteOrganization(actor: Actor, id: number): Promise<TaskRow> {
    const { db, organizations, tasks } = this.#parts
    const { name, label } = await organizations.getOrganization(actor, id)
    if (!hasRight(actor, 'admin')) throw forbidden('destroy_organizations')
    return db.transaction().execute((tx) =>
      tasks.enqueue(tx, {
        kind: deletionKinds.organization,
        label: 'Actions::Katello::Organization::Destroy',
        action: `Delete organization '${name}'`,
        humanizedAction: 'Delete Organization',
        humanizedInput: [['organization', { text: `organization '${name}'`, link: `/organizations/${id}/edit` }]],
        input: { organization: { id, name, label } },
        resources: [{ name: `organization:${id}`, mode: 'exclusive' }],
        user: { id: actor.userId, login: actor.login },
        scope: organizationScope(id),
      }),
    )
  }
}
