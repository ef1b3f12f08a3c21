import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Id, Nullable, OptionalNullable } from '../../platform/http/schemas.ts'
import { Task } from '../../platform/tasks/task-contract.ts'
import { Description, Label, ListQuery, Name } from '../contract-parts.ts'
import { organizationRoles } from '../tables.ts'

const Organization = Type.Object({
  id: Id,
  name: Type.String(),
  label: Type.String(),
  title: Type.String(),
  description: Nullable(Type.String()),
  created_at: Type.String(),
  updated_at: Type.String(),
})

const Member = Type.Object({ organization_id: Id, user_id: Id, role: Type.Enum([...organizationRoles]) })

const base = '/content/api/organizations'
const tag = 'Organizations'

export const organizationEndpoints = {
  list: endpoint({
    action: 'organizations.index',
    method: 'GET',
    path: base,
    status: 200,
    summary: 'List organizations',
    tag,
    query: Type.Object(ListQuery),
  }),
  show: endpoint({
    action: 'organizations.show',
    method: 'GET',
    path: `${base}/{id}`,
    status: 200,
    summary: 'Show an organization',
    tag,
    params: Type.Object({ id: Id }),
    reply: Organization,
  }),
  create: endpoint({
    action: 'organizations.create',
    method: 'POST',
    path: base,
    status: 201,
    summary: 'Create an organization with its Library',
    tag,
    wrapper: 'organization',
    body: Type.Object({ name: Name, label: OptionalNullable(Label), description: OptionalNullable(Description) }),
    reply: Organization,
  }),
  update: endpoint({
    action: 'organizations.update',
    method: 'PUT',
    path: `${base}/{id}`,
    status: 200,
    summary: 'Change the name or the description of an organization',
    tag,
    wrapper: 'organization',
    params: Type.Object({ id: Id }),
    body: Type.Object({ name: Type.Optional(Name), description: OptionalNullable(Description) }),
    reply: Organization,
  }),
  delete: endpoint({
    action: 'organizations.destroy',
    method: 'DELETE',
    path: `${base}/{id}`,
    status: 202,
    summary: 'Delete an organization with all that belongs to it, as a task',
    tag,
    params: Type.Object({ id: Id }),
    reply: Task,
  }),
  listMembers: endpoint({
    method: 'GET',
    path: `${base}/{id}/members`,
    status: 200,
    summary: 'List who belongs to an organization, and as what',
    tag,
    params: Type.Object({ id: Id }),
    reply: Type.Array(Member),
  }),
  saveMember: endpoint({
    method: 'PUT',
    path: `${base}/{id}/members/{user_id}`,
    status: 200,
    summary: 'Let a user in, or change their role',
    tag,
    params: Type.Object({ id: Id, user_id: Id }),
    body: Type.Object({ role: Type.Enum([...organizationRoles]) }),
    reply: Member,
  }),
  deleteMember: endpoint({
    method: 'DELETE',
    path: `${base}/{id}/members/{user_id}`,
    status: 200,
    summary: 'Take a user out of an organization',
    tag,
    params: Type.Object({ id: Id, user_id: Id }),
  }),
}
