import { type Route, route } from '../../platform/http/endpoint.ts'
import { timestamp } from '../../platform/http/timestamps.ts'
import { presentTask } from '../../platform/tasks/task-presenter.ts'
import { answerList } from '../answer-list.ts'
import type { OrganizationRow } from '../tables.ts'
import { organizationEndpoints as endpoints } from './organization-contract.ts'
import type { OrganizationOperations } from './organization-operations.ts'
import type { OrganizationDetails, OrganizationService } from './organization-service.ts'

export interface OrganizationRoutesParts {
  readonly organizations: OrganizationService
  readonly operations: OrganizationOperations
  readonly now: () => number
}

export function organizationRoutes({ organizations, operations, now }: OrganizationRoutesParts): Route[] {
  return [
    route(endpoints.list, ({ actor, query }) =>
      answerList(query, { now: now() }, async (request) => {
        const { rows, ...counts } = await organizations.listOrganizations(actor, query, request)
        return { rows: rows.map(presentOrganization), ...counts }
      }),
    ),
    route(endpoints.show, async ({ actor, params }) => presentInFull(await organizations.getDetails(actor, params.id))),
    route(endpoints.create, async ({ actor, body: { name, label, description } }) => {
      const attributes = { name, label: label ?? undefined, description: description ?? null }
      return presentInFull(await organizations.createOrganization(actor, attributes))
    }),
    route(endpoints.update, async ({ actor, params, body }) =>
      presentInFull(await organizations.updateOrganization(actor, params.id, body)),
    ),
    route(endpoints.delete, async ({ actor, params }) =>
      presentTask(await operations.deleteOrganization(actor, params.id), now()),
    ),
    route(endpoints.listMembers, ({ actor, params }) => organizations.listMembers(actor, params.id)),
    route(endpoints.saveMember, ({ actor, params, body }) => {
      return organizations.saveMember(actor, { organizationId: params.id, userId: params.user_id, role: body.role })
    }),
    route(endpoints.deleteMember, async ({ actor, params }) => {
      await organizations.deleteMember(actor, params.id, params.user_id)
      return {}
    }),
  ]
}

function presentInFull({ organization, library }: OrganizationDetails): object {
  return {
    ...presentOrganization(organization),
    library_id: library.environmentId,
    default_content_view_id: library.viewId,
    select_all_types: [],
    parameters: [],
  }
}

function presentOrganization({ id, name, label, description, created_at, updated_at }: OrganizationRow): object {
  return {
    id,
    name,
    label,
    title: name,
    description,
    created_at: timestamp(created_at),
    updated_at: timestamp(updated_at),
  }
}
