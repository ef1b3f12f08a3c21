import type { Kysely } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { isForeignKeyViolation } from '../../platform/db/database.ts'
import { invalidField, notFound } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import type { ContentTables, OrganizationRole, OrganizationRow } from '../tables.ts'
import type { OrganizationAccess } from './organization-access.ts'
import {
  deleteMember,
  findOrganization,
  listMembers,
  listOrganizations,
  type Member,
  saveMember,
} from './organization-store.ts'

/** Organizations and who belongs to them. */
export class OrganizationService {
  readonly #db: Kysely<ContentTables>
  readonly #access: OrganizationAccess

  constructor(db: Kysely<ContentTables>, access: OrganizationAccess) {
    this.#db = db
    this.#access = access
  }

  async listOrganizations(
    actor: Actor,
    filter: { readonly name?: string; readonly label?: string },
    request: ListRequest,
  ): Promise<Listed<OrganizationRow>> {
    return listOrganizations(this.#db, { ...filter, memberId: this.#access.memberId(actor) }, request)
  }

  async getOrganization(actor: Actor, id: number): Promise<OrganizationRow> {
    const organization = (await this.#access.canView(actor, id)) ? await findOrganization(this.#db, id) : undefined
    if (organization === undefined) throw notFound('organization', id)
    return organization
  }

  async listMembers(actor: Actor, organizationId: number): Promise<Member[]> {
    await this.getOrganization(actor, organizationId)
    return listMembers(this.#db, organizationId)
  }

  async saveMember(
    actor: Actor,
    member: { organizationId: number; userId: number; role: OrganizationRole },
  ): Promise<Member> {
    await this.#requireManager(actor, member.organizationId)
    const row = { organization_id: member.organizationId, user_id: member.userId, role: member.role }
    try {
      await saveMember(this.#db, row)
    } catch (error) {
      if (isForeignKeyViolation(error)) throw invalidField('user_id', 'is the id of no user')
      throw error
    }
    return row
  }

  async deleteMember(actor: Actor, organizationId: number, userId: number): Promise<void> {
    await this.#requireManager(actor, organizationId)
    if (!(await deleteMember(this.#db, organizationId, userId))) throw notFound('member', userId)
  }

  async #requireManager(actor: Actor, organizationId: number): Promise<void> {
    await this.getOrganization(actor, organizationId)
    await this.#access.requireRole(actor, organizationId, { role: 'manager', permission: 'edit_organizations' })
  }
}
