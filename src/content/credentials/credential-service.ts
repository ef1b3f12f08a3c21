import type { Kysely } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { SecretBox } from '../../platform/auth/secret-box.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import type { OrganizationAccess } from '../organizations/organization-access.ts'
import type { OrganizationService } from '../organizations/organization-service.ts'
import type { ContentTables, CredentialKind, CredentialRow, OrganizationRow } from '../tables.ts'
import { checkContent } from './check-content.ts'
import {
  type CredentialFilter,
  deleteCredential,
  findCredential,
  insertCredential,
  listCredentials,
  updateCredential,
} from './credential-store.ts'
import { findCredentialUsers } from './credential-users.ts'

export interface CredentialChange {
  readonly name?: string
  readonly content_type?: CredentialKind
  readonly content?: string
}

/** A credential as it is shown. */
export interface CredentialView {
  readonly credential: CredentialRow
  readonly organization: OrganizationRow
  /** Undefined for those who may not handle it, when it holds a private key. */
  readonly content: string | undefined
}

export interface CredentialServiceParts {
  readonly db: Kysely<ContentTables>
  readonly access: OrganizationAccess
  readonly organizations: OrganizationService
  readonly secrets: SecretBox
}

const purpose = 'content_credentials.content'
const permission = 'edit_content_credentials'

/** Keys and certificates that repositories check what they fetch with, and log in with. */
export class CredentialService {
  readonly #parts: CredentialServiceParts

  constructor(parts: CredentialServiceParts) {
    this.#parts = parts
  }

  async listCredentials(actor: Actor, filter: CredentialFilter, request: ListRequest): Promise<Listed<CredentialView>> {
    const { db, organizations } = this.#parts
    const organization = await organizations.getOrganization(actor, filter.organizationId)
    const { rows, ...counts } = await listCredentials(db, filter, request)
    const isManager = await this.#isManager(actor, organization.id)
    return { rows: rows.map((row) => this.#view(row, organization, isManager)), ...counts }
  }

  async getCredential(actor: Actor, id: number): Promise<CredentialView> {
    const { organizations } = this.#parts
    const credential = await this.#visible(actor, id)
    const organization = await organizations.getOrganization(actor, credential.organization_id)
    return this.#view(credential, organization, await this.#isManager(actor, organization.id))
  }

  async createCredential(
    actor: Actor,
    { organizationId, content, ...attributes }: Required<CredentialChange> & { readonly organizationId: number },
  ): Promise<CredentialView> {
    const { db, organizations, secrets } = this.#parts
    const organization = await organizations.getOrganization(actor, organizationId)
    await this.#requireManager(actor, organizationId)
    checkContent(attributes.content_type, content)
    const sealed = { ...attributes, content_sealed: secrets.seal(content, purpose) }
    const credential = await insertCredential(db, { ...sealed, organization_id: organizationId })
    return { credential, organization, content }
  }

  async updateCredential(actor: Actor, id: number, change: CredentialChange): Promise<CredentialView> {
    const { db, secrets } = this.#parts
    await this.#requireManager(actor, (await this.#visible(actor, id)).organization_id)
    await db.transaction().execute(async (tx) => {
      const present = await findCredential(tx, id, 'forUpdate')
      if (present === undefined) throw notFound('content credential', id)
      const content = change.content ?? secrets.open(present.content_sealed, purpose)
      const { name = present.name, content_type = present.content_type } = change
      checkContent(content_type, content)
      await updateCredential(tx, id, { name, content_type, content_sealed: secrets.seal(content, purpose) })
    })
    return this.getCredential(actor, id)
  }

  /** @throws AppError `conflict` that names what uses it */
  async deleteCredential(actor: Actor, id: number): Promise<void> {
    const { name, organization_id } = await this.#visible(actor, id)
    await this.#requireManager(actor, organization_id)
    await this.#parts.db.transaction().execute(async (tx) => {
      await findCredential(tx, id, 'forUpdate')
      const users = await findCredentialUsers(tx, id)
      if (users.length > 0) {
        const words = users.map((user) => `${user.kind} "${user.name}"`).join(', ')
        throw new AppError('conflict', `Cannot delete content credential "${name}": it is used by ${words}`)
      }
      await deleteCredential(tx, id)
    })
  }

  /** @throws AppError `forbidden` for whoever may not handle credentials */
  async requireHandler(actor: Actor, id: number): Promise<void> {
    await this.#requireManager(actor, (await this.#visible(actor, id)).organization_id)
  }

  async #visible(actor: Actor, id: number): Promise<CredentialRow> {
    const { db, access } = this.#parts
    const credential = await findCredential(db, id)
    if (credential === undefined || !(await access.canView(actor, credential.organization_id)))
      throw notFound('content credential', id)
    return credential
  }

  async #requireManager(actor: Actor, organizationId: number): Promise<void> {
    await this.#parts.access.requireRole(actor, organizationId, { role: 'manager', permission })
  }

  async #isManager(actor: Actor, organizationId: number): Promise<boolean> {
    return this.#requireManager(actor, organizationId).then(
      () => true,
      (error: AppError) => {
        if (error.code !== 'forbidden') throw error
        return false
      },
    )
  }

  #view(credential: CredentialRow, organization: OrganizationRow, isManager: boolean): CredentialView {
    const content = this.#parts.secrets.open(credential.content_sealed, purpose)
    const isPrivate = content.includes('PRIVATE KEY-----')
    return { credential, organization, content: isPrivate && !isManager ? undefined : content }
  }
}
