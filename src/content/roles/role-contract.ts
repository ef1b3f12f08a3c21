import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Id } from '../../platform/http/schemas.ts'
import { SearchQuery } from '../../platform/search/list-request.ts'

export const roleEndpoints = {
  list: endpoint({
    action: 'roles.index',
    method: 'GET',
    path: '/api/roles',
    status: 200,
    summary: 'List the roles that users have, in an organization or everywhere',
    tag: 'Roles',
    query: Type.Object(SearchQuery),
  }),
  show: endpoint({
    action: 'roles.show',
    method: 'GET',
    path: '/api/roles/{id}',
    status: 200,
    summary: 'Show a role',
    tag: 'Roles',
    params: Type.Object({ id: Id }),
    reply: Type.Object({ id: Id, name: Type.String(), description: Type.String(), builtin: Type.Integer() }),
  }),
}
