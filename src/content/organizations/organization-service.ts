import type { Kysely } from 'kysely'
import { type Actor, forbidden, hasRight } from '../../platform/auth/actor.ts'
import { isForeignKeyViolation } from '../../platform/db/database.ts'
import { invalidField, notFound } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import { labelFor } from '../label.ts'
import type { ContentTables, OrganizationRole, OrganizationRow } from '../tables.ts'
import { findLibraryPlace, type LibraryPlace } from '../views/default-view-store.ts'
import type { OrganizationAccess } from './organization-access.ts'
import {
  deleteMember,
  findOrganization,
  insertOrganization,
  listMembers,
  listOrganizations,
  type Member,
  saveMember,
  updateOrganization,
} from './organization-store.ts'

/** An organization with all that is shown of it. */
export interface OrganizationDetails {
  readonly organization: OrganizationRow
  readonly library: LibraryPlace
}

export interface NewOrganizationRequest {
  readonly name: string
  readonly label: string | undefined
  readonly description: string | null
}

/** Paths of the API begin with it where those of organizations begin with their label. */
const reservedLabels: ReadonlySet<string> = new Set(['api'])

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

  async getDetails(actor: Actor, id: number): Promise<OrganizationDetails> {
    const organization = await this.getOrganization(actor, id)
    const library = await findLibraryPlace(this.#db, id)
    if (library === undefined) throw notFound('organization', id)
    return { organization, library }
  }

  async createOrganization(
    actor: Actor,
    { name, label: wanted, description }: NewOrganizationRequest,
  ): Promise<OrganizationDetails> {
    if (!hasRight(actor, 'admin')) throw forbidden('create_organizations')
    const label = labelFor(name, wanted)
    if (reservedLabels.has(label)) throw invalidField('label', `must not be "${label}", which paths of the server have`)
    const id = await this.#db.transaction().execute((tx) => insertOrganization(tx, { name, label, description }))
    return this.getDetails(actor, id)
  }

  /** Changes only what is given, also when others change the same organization at the same time. */
  async updateOrganization(
    actor: Actor,
    id: number,
    change: { readonly name?: string; readonly description?: string | null },
  ): Promise<OrganizationDetails> {
    await this.#requireManager(actor, id)
    if (!(await updateOrganization(this.#db, id, change))) throw notFound('organization', id)
    return this.getDetails(actor, id)
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
