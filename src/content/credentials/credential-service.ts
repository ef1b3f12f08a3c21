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
import { type CredentialUser, findCredentialUsers } from './credential-users.ts'

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
  /** The products and repositories that refer to it. */
  readonly users: readonly CredentialUser[]
}

export interface CredentialServiceParts {
  readonly db: Kysely<ContentTables>
  readonly access: OrganizationAccess
  readonly organizations: OrganizationService
  readonly secrets: SecretBox
}

/** What credentials are sealed for. */
export const credentialPurpose = 'content_credentials.content'
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
    return { rows: await this.#view(actor, organization, rows), ...counts }
  }

  async getCredential(actor: Actor, id: number): Promise<CredentialView> {
    const { organizations } = this.#parts
    const credential = await this.#visible(actor, id)
    const organization = await organizations.getOrganization(actor, credential.organization_id)
    const [view] = await this.#view(actor, organization, [credential])
    return view as CredentialView
  }

  /** The text of a credential, whoever asks; undefined when there is none under the id. */
  async findContent(id: number | null): Promise<string | undefined> {
    const { db, secrets } = this.#parts
    const credential = id === null ? undefined : await findCredential(db, id)
    return credential === undefined ? undefined : secrets.open(credential.content_sealed, credentialPurpose)
  }

  async createCredential(
    actor: Actor,
    { organizationId, content, ...attributes }: Required<CredentialChange> & { readonly organizationId: number },
  ): Promise<CredentialView> {
    const { db, organizations, secrets } = this.#parts
    const organization = await organizations.getOrganization(actor, organizationId)
    await this.#requireManager(actor, organizationId)
    checkContent(attributes.content_type, content)
    const sealed = { ...attributes, content_sealed: secrets.seal(content, credentialPurpose) }
    const credential = await insertCredential(db, { ...sealed, organization_id: organizationId })
    return { credential, organization, content, users: [] }
  }

  async updateCredential(actor: Actor, id: number, change: CredentialChange): Promise<CredentialView> {
    const { db, secrets } = this.#parts
    await this.#requireManager(actor, (await this.#visible(actor, id)).organization_id)
    await db.transaction().execute(async (tx) => {
      const present = await findCredential(tx, id, 'forUpdate')
      if (present === undefined) throw notFound('content credential', id)
      const content = change.content ?? secrets.open(present.content_sealed, credentialPurpose)
      const { name = present.name, content_type = present.content_type } = change
      checkContent(content_type, content)
      if (content_type !== present.content_type)
        refuseUsed(await findCredentialUsers(tx, [id]), `change the type of content credential "${present.name}"`)
      await updateCredential(tx, id, { name, content_type, content_sealed: secrets.seal(content, credentialPurpose) })
    })
    return this.getCredential(actor, id)
  }

  /** @throws AppError `conflict` that names what uses it */
  async deleteCredential(actor: Actor, id: number): Promise<void> {
    const { name, organization_id } = await this.#visible(actor, id)
    await this.#requireManager(actor, organization_id)
    await this.#parts.db.transaction().execute(async (tx) => {
      await findCredential(tx, id, 'forUpdate')
      refuseUsed(await findCredentialUsers(tx, [id]), `delete content credential "${name}"`)
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

  async #view(actor: Actor, organization: OrganizationRow, rows: readonly CredentialRow[]): Promise<CredentialView[]> {
    const { db, secrets } = this.#parts
    const isManager = await this.#isManager(actor, organization.id)
    const users = await findCredentialUsers(
      db,
      rows.map(({ id }) => id),
    )
    return rows.map((credential) => {
      const content = secrets.open(credential.content_sealed, credentialPurpose)
      const isPrivate = content.includes('PRIVATE KEY-----')
      return {
        credential,
        organization,
        content: isPrivate && !isManager ? undefined : content,
        users: users.filter(({ credentialId }) => credentialId === credential.id),
      }
    })
  }
}

function refuseUsed(users: readonly CredentialUser[], deed: string): void {
  if (users.length === 0) return
  const words = new Set(users.map((user) => `${user.kind} "${user.name}"`))
  throw new AppError('conflict', `Cannot ${deed}: it is used by ${[...words].join(', ')}`)
}
