import { type Config, config, createMessage, enums, type Key, type SignaturePacket, type Subkey } from 'openpgp'
import { messageOf } from '../../platform/errors.ts'
import { readPublicKeys } from './read-public-keys.ts'
import { maxSignatures, readSignatures } from './read-signatures.ts'

/** Who signed, as far as the given keys tell. */
export interface SigningParty {
  /** Of the whole key, also when a subkey signed. */
  readonly fingerprint: string
  readonly userId: string
}

export type Verification =
  | { readonly isValid: true; readonly signedBy: SigningParty; readonly problem: undefined }
  | {
      readonly isValid: false
      /** Known also when the key must not be trusted any more. */
      readonly signedBy: SigningParty | undefined
      /** Goes on after "Cannot trust …: ". */
      readonly problem: string
    }

export interface Trust {
  /** Those that may have signed, as `readPublicKeys` takes them. */
  readonly keys: string | Uint8Array
  readonly now?: Date
}

/** As GnuPG has it: keys that are short by today's measure are the only ones that old repositories have. */
const lenient: Config = { ...config, minRSABits: 1023, rejectPublicKeyAlgorithms: new Set([enums.publicKey.elgamal]) }

/**
 * Whether one of the keys signed these bytes, and may be trusted now. Signature and keys are armored or binary; one good signature
 * is enough.
 */
export async function verifyDetached(
  bytes: Uint8Array,
  signature: string | Uint8Array,
  { keys, now = new Date() }: Trust,
): Promise<Verification> {
  if (signature.length === 0) return refused('it is not signed')
  const signatures = await readSignatures(signature)
  if (signatures.length === 0) return refused('its signature is none that can be read')
  const known = await readPublicKeys(keys)
  if (known.length === 0) return refused('the key to check it with is none that can be read')
  const { packets } = await createMessage({ binary: bytes })
  const refusals: Verification[] = []
  for (const packet of signatures.slice(0, maxSignatures)) {
    const verification = await judge(packet, { literal: packets[0] as object, known, now })
    if (verification.isValid) return verification
    refusals.push(verification)
  }
  return (refusals.find(({ signedBy }) => signedBy !== undefined) ?? refusals[0]) as Verification
}

interface Evidence {
  /** The signed bytes as a packet. */
  readonly literal: object
  readonly known: readonly Key[]
  readonly now: Date
}

async function judge(packet: SignaturePacket, { literal, known, now }: Evidence): Promise<Verification> {
  const id = packet.issuerKeyID.toHex().toUpperCase()
  const found = known.flatMap((key) => key.getKeys(packet.issuerKeyID).map((part) => ({ key, part })))
  if (found.length === 0)
    return refused(`it is signed by the key ${id}, which is not among those given (${namesOf(known)})`)
  const hash = packet.hashAlgorithm
  if (hash === null || lenient.rejectMessageHashAlgorithms.has(hash))
    return refused(`its signature by the key ${id} is made with the weak hash ${nameOfHash(hash)}`, found[0]?.key)
  const refusals: Verification[] = []
  for (const { key, part } of found) {
    const problem =
      (await findMismatch(packet, { literal, part, now })) ?? (await findDistrust(packet, { key, part, now }))
    if (problem === undefined) return { isValid: true, signedBy: partyOf(key), problem: undefined }
    refusals.push(refused(problem, key))
  }
  return refusals[0] as Verification
}

async function findMismatch(
  packet: SignaturePacket,
  { literal, part, now }: { literal: object; part: Key | Subkey; now: Date },
): Promise<string | undefined> {
  const id = idOf(part)
  if (packet.isExpired(laterOf(now, packet.created))) return `its signature by the key ${id} has expired`
  try {
    // a clock that is behind the signer's is no reason to distrust
    const at = laterOf(now, packet.created)
    await packet.verify(part.keyPacket, packet.signatureType as enums.signature, literal, at, true, lenient)
    return undefined
  } catch (error) {
    return `its signature by the key ${id} is not one of these bytes (${messageOf(error)})`
  }
}

/** Judges the key as it is now: who extends the life of a key wants older signatures to go on counting. */
async function findDistrust(
  packet: SignaturePacket,
  { key, part, now }: { key: Key; part: Key | Subkey; now: Date },
): Promise<string | undefined> {
  const whole = idOf(key)
  if (await key.isRevoked(undefined, undefined, now, lenient))
    return `it is signed by the key ${whole}, which is revoked`
  for (const each of new Set([key, part])) {
    const end = each === key ? await key.getExpirationTime(undefined, lenient) : await subkeyEnd(each as Subkey, now)
    if (end instanceof Date && end <= now)
      return `it is signed by the key ${idOf(each)}, which expired on ${end.toISOString().slice(0, 10)}`
  }
  try {
    await key.getSigningKey(packet.issuerKeyID, laterOf(now, packet.created), undefined, lenient)
    return undefined
  } catch (error) {
    const reason = messageOf(error)
    return /revoked/.test(reason)
      ? `it is signed by the key ${idOf(part)}, which is revoked`
      : `it is signed by the key ${idOf(part)}, which cannot be used for that (${reason})`
  }
}

async function subkeyEnd(subkey: Subkey, now: Date): Promise<Date | number | null> {
  return subkey.getExpirationTime(now, lenient)
}

function laterOf(now: Date, created: Date | null): Date {
  return created !== null && created > now ? created : now
}

function refused(problem: string, key?: Key): Verification {
  return { isValid: false, signedBy: key && partyOf(key), problem }
}

function partyOf(key: Key): SigningParty {
  return { fingerprint: key.getFingerprint().toUpperCase(), userId: key.getUserIDs()[0] ?? '' }
}

function idOf(part: Key | Subkey): string {
  return part.getKeyID().toHex().toUpperCase()
}

function namesOf(keys: readonly Key[]): string {
  const ids = keys.slice(0, 5).map(idOf)
  return keys.length > ids.length ? `${ids.join(', ')} and ${keys.length - ids.length} more` : ids.join(', ')
}

function nameOfHash(hash: enums.hash | null): string {
  const [name] = Object.entries(enums.hash).find(([, value]) => value === hash) ?? ['?']
  return name.toUpperCase()
}
