import { type Kysely, sql } from 'kysely'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import { listRows } from '../../platform/search/list-rows.ts'
import type { ContentTables, OrganizationRole } from '../tables.ts'
import { roleSearch } from './role-search.ts'

export interface Role {
  readonly id: number
  readonly name: string
  readonly description: string
}

const inOrganizations: Readonly<Record<OrganizationRole, string>> = {
  viewer: 'Sees an organization and what belongs to it',
  editor: 'Also changes, syncs, uploads and publishes what belongs to an organization',
  manager: 'Also creates and deletes in an organization, and handles its credentials and members',
}

/** What users can be: one of three things in each organization that they belong to, or administrators of everything. */
export const roles: readonly Role[] = [
  ...Object.entries(inOrganizations).map(([name, description], index) => ({ id: index + 1, name, description })),
  { id: Object.keys(inOrganizations).length + 1, name: 'administrator', description: 'May do everything everywhere' },
]

export async function listRoles(db: Kysely<ContentTables>, request: ListRequest): Promise<Listed<Role>> {
  const known = sql<Role>`(select * from unnest(
    ${roles.map(({ id }) => id)}::bigint[], ${roles.map(({ name }) => name)}::text[],
    ${roles.map(({ description }) => description)}::text[]) as given (id, name, description))`.as('roles')
  return listRows(db.selectFrom(known).selectAll(), roleSearch, request)
}
