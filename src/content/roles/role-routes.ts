import type { Kysely } from 'kysely'
import { notFound } from '../../platform/errors.ts'
import { type Route, route } from '../../platform/http/endpoint.ts'
import { indexBody } from '../../platform/http/paging.ts'
import { listRequest } from '../../platform/search/list-request.ts'
import type { ContentTables } from '../tables.ts'
import { roleEndpoints as endpoints } from './role-contract.ts'
import { listRoles, type Role, roles } from './roles.ts'

/** Roles are as they are: who has which is said by the members of organizations, and by the rights of users. */
export function roleRoutes(db: Kysely<ContentTables>, now: () => number): Route[] {
  return [
    route(endpoints.list, async ({ query }) => {
      const request = listRequest(query, now())
      const { rows, ...counts } = await listRoles(db, request)
      return indexBody(rows.map(present), { ...counts, ...request })
    }),
    route(endpoints.show, ({ params }) => {
      const role = roles.find(({ id }) => id === params.id)
      if (role === undefined) throw notFound('role', params.id)
      return present(role)
    }),
  ]
}

function present({ id, name, description }: Role): object {
  return { id, name, description, builtin: 1 }
}
