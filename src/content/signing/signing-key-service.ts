import type { Kysely } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import type { OrganizationAccess } from '../organizations/organization-access.ts'
import type { OrganizationService } from '../organizations/organization-service.ts'
import type { ContentTables, SigningAlgorithm, SigningKeyRow } from '../tables.ts'
import type { OrganizationSigner } from './organization-signer.ts'
import { deleteRetiredKey, listSigningKeys } from './signing-key-store.ts'

export interface SigningKeyServiceParts {
  readonly db: Kysely<ContentTables>
  readonly access: OrganizationAccess
  readonly organizations: OrganizationService
  readonly signer: OrganizationSigner
}

/** What members see of the keys that an organization signs with, and what managers do with them. */
export class SigningKeyService {
  readonly #parts: SigningKeyServiceParts

  constructor(parts: SigningKeyServiceParts) {
    this.#parts = parts
  }

  /** All public keys in one armored block; the first one is made for whoever asks first. */
  async getPublicKey(actor: Actor, organizationId: number): Promise<string> {
    const { organizations, signer } = this.#parts
    await organizations.getOrganization(actor, organizationId)
    return signer.publicKeyOf(organizationId)
  }

  /** None as long as nothing was signed and nobody has asked for the key. */
  async listKeys(actor: Actor, organizationId: number): Promise<SigningKeyRow[]> {
    const { db, organizations } = this.#parts
    await organizations.getOrganization(actor, organizationId)
    return listSigningKeys(db, organizationId)
  }

  /** Makes a key that signs from now on, with the algorithm of the present one unless another is wanted. */
  async rotateKey(
    actor: Actor,
    organizationId: number,
    algorithm: SigningAlgorithm | undefined,
  ): Promise<SigningKeyRow> {
    await this.#requireManager(actor, organizationId)
    return this.#parts.signer.rotate(organizationId, algorithm)
  }

  /** @throws AppError `conflict` for the key that signs */
  async deleteKey(actor: Actor, organizationId: number, keyId: number): Promise<SigningKeyRow> {
    const { db } = this.#parts
    await this.#requireManager(actor, organizationId)
    const deleted = await deleteRetiredKey(db, organizationId, keyId)
    if (deleted !== undefined) return deleted
    const present = (await listSigningKeys(db, organizationId)).find(({ id }) => id === keyId)
    if (present === undefined) throw notFound('signing key', keyId)
    throw new AppError('conflict', `Cannot remove signing key "${present.fingerprint}": it is the one that signs`)
  }

  async #requireManager(actor: Actor, organizationId: number): Promise<void> {
    const { access, organizations } = this.#parts
    await organizations.getOrganization(actor, organizationId)
    await access.requireRole(actor, organizationId, { role: 'manager', permission: 'edit_organizations' })
  }
}
