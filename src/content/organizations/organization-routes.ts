import { type Route, route } from '../../platform/http/endpoint.ts'
import { timestamp } from '../../platform/http/timestamps.ts'
import { answerList } from '../answer-list.ts'
import type { OrganizationRow } from '../tables.ts'
import { organizationEndpoints as endpoints } from './organization-contract.ts'
import type { OrganizationService } from './organization-service.ts'

export function organizationRoutes(organizations: OrganizationService, now: () => number): Route[] {
  return [
    route(endpoints.list, ({ actor, query }) =>
      answerList(query, { now: now() }, async (request) => {
        const { rows, ...counts } = await organizations.listOrganizations(actor, query, request)
        return { rows: rows.map(presentOrganization), ...counts }
      }),
    ),
    route(endpoints.show, async ({ actor, params }) =>
      presentOrganization(await organizations.getOrganization(actor, params.id)),
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
