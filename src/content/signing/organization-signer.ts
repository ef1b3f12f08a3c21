import type { Kysely } from 'kysely'
import { armor, createCleartextMessage, createMessage, enums, type PrivateKey, readPrivateKey, sign } from 'openpgp'
import type { SecretBox } from '../../platform/auth/secret-box.ts'
import type { Db } from '../../platform/db/database.ts'
import { notFound } from '../../platform/errors.ts'
import type { PublicationSigner } from '../content-type.ts'
import { findOrganization, lockOrganization } from '../organizations/organization-store.ts'
import type { ContentTables, SigningAlgorithm, SigningKeyRow } from '../tables.ts'
import { makeKey } from './make-key.ts'
import {
  findCurrentKey,
  insertUnlessSigning,
  listSigningKeys,
  type NewSigningKey,
  replaceCurrentKey,
} from './signing-key-store.ts'

export interface OrganizationSignerParts {
  readonly db: Kysely<ContentTables>
  readonly secrets: SecretBox
  readonly now: () => number
}

/** Clients refuse keys and signatures from their own future, and clocks of machines at the far end of a network lag. */
const keyAgeMs = 24 * 3600_000
const signatureAgeMs = 5 * 60_000

/**
 * Signs what repositories publish, each organization with a key of its own that is made when it is first needed. Processes that
 * need it at the same moment agree on one. Nothing is kept in memory: a key that was replaced signs no more. Not to be asked from
 * within a transaction: making a key waits for those that hold the organization.
 */
export class OrganizationSigner {
  readonly #parts: OrganizationSignerParts

  constructor(parts: OrganizationSignerParts) {
    this.#parts = parts
  }

  /** The signature of these bytes, armored, in a file of its own: `repomd.xml.asc`, `Release.gpg`. */
  async signDetached(organizationId: number, bytes: Uint8Array): Promise<string> {
    const message = await createMessage({ binary: bytes })
    return sign({ message, detached: true, ...(await this.#signing(organizationId)) })
  }

  /** The text with its signature around it: `InRelease`. Blanks at the ends of lines are taken away, as no signature holds them. */
  async signClear(organizationId: number, text: string): Promise<string> {
    // the end of the last line belongs to what follows (RFC 9580, 7.1)
    const message = await createCleartextMessage({ text: text.replace(/\r?\n$/, '') })
    const signed = await sign({ message, ...(await this.#signing(organizationId)) })
    // lines end as in the text; what is signed ends them with CRLF either way
    return signed.replaceAll('\r\n', '\n')
  }

  /**
   * What clients check signatures with, in one armored block: the key that signs now, and those that signed before until they are
   * removed.
   */
  async publicKeyOf(organizationId: number): Promise<string> {
    await this.#currentKey(organizationId)
    const keys = await listSigningKeys(this.#parts.db, organizationId)
    const packets = Buffer.concat(keys.map(({ public_key }) => public_key))
    return armorKeys(packets)
  }

  /** What signs for the repositories of an organization. */
  for(organizationId: number): PublicationSigner {
    return {
      signDetached: (bytes) => this.signDetached(organizationId, bytes),
      publicKey: () => this.publicKeyOf(organizationId),
    }
  }

  /** Makes a new key, which signs from now on. */
  async rotate(organizationId: number, wanted: SigningAlgorithm | undefined): Promise<SigningKeyRow> {
    const { db } = this.#parts
    const algorithm = wanted ?? (await findCurrentKey(db, organizationId))?.algorithm ?? 'ed25519'
    const key = await this.#makeKey(organizationId, algorithm)
    return this.#locked(organizationId, (tx) => replaceCurrentKey(tx, key))
  }

  async #currentKey(organizationId: number): Promise<SigningKeyRow> {
    const { db } = this.#parts
    const present = await findCurrentKey(db, organizationId)
    if (present !== undefined) return present
    const key = await this.#makeKey(organizationId, 'ed25519')
    await this.#locked(organizationId, (tx) => insertUnlessSigning(tx, key))
    const made = await findCurrentKey(db, organizationId)
    if (made === undefined) throw notFound('organization', organizationId)
    return made
  }

  /** All who add keys to an organization lock it first: they would else wait for each other. */
  async #locked<T>(organizationId: number, write: (tx: Db<ContentTables>) => Promise<T>): Promise<T> {
    return this.#parts.db.transaction().execute(async (tx) => {
      if (!(await lockOrganization(tx, organizationId, 'update'))) throw notFound('organization', organizationId)
      return write(tx)
    })
  }

  async #makeKey(organizationId: number, algorithm: SigningAlgorithm): Promise<NewSigningKey> {
    const { db, secrets, now } = this.#parts
    const organization = await findOrganization(db, organizationId)
    if (organization === undefined) throw notFound('organization', organizationId)
    const createdAt = new Date(now() - keyAgeMs)
    const { fingerprint, publicKey, privateKey } = await makeKey(algorithm, { owner: organization.name, createdAt })
    return {
      organization_id: organizationId,
      algorithm,
      fingerprint,
      public_key: Buffer.from(publicKey),
      private_key_sealed: secrets.seal(Buffer.from(privateKey).toString('base64'), purposeOf(fingerprint)),
    }
  }

  async #signing(organizationId: number): Promise<{ signingKeys: PrivateKey; date: Date }> {
    const { secrets, now } = this.#parts
    const { fingerprint, private_key_sealed } = await this.#currentKey(organizationId)
    const bytes = Buffer.from(secrets.open(private_key_sealed ?? '', purposeOf(fingerprint)), 'base64')
    return { signingKeys: await readPrivateKey({ binaryKey: bytes }), date: new Date(now() - signatureAgeMs) }
  }
}

/** What a private key is sealed for. */
function purposeOf(fingerprint: string): string {
  return `signing_keys.private_key ${fingerprint}`
}

/** With a checksum, without which rpm takes no armor. */
function armorKeys(packets: Uint8Array): string {
  return armor(enums.armor.publicKey, packets, undefined, undefined, undefined, true)
}
