import { type Config, config, createMessage, type Key, type SignaturePacket, type Subkey } from 'openpgp'
import { messageOf } from '../../platform/errors.ts'
import { readPublicKeys } from './read-public-keys.ts'
import { maxSignatures, readSignatures } from './read-signatures.ts'

/** Whoever has weak signatures or short keys is not protected by them, but a wrong one is wrong all the same. */
const anything: Config = {
  ...config,
  minRSABits: 0,
  rejectMessageHashAlgorithms: new Set(),
  rejectHashAlgorithms: new Set(),
  rejectPublicKeyAlgorithms: new Set(),
  rejectCurves: new Set(),
}

/** What says that nobody can tell, rather than that the signature is wrong. */
const inabilities = /unsupported|not supported|unknown|intended to be revoked/i

/**
 * What is wrong with a signature of these bytes when one of the keys is said to have made it, and has not. Undefined when it is
 * right, and when nobody can tell: whether keys may be trusted, and whether there must be a signature, is for others to judge.
 */
export async function findForgery(
  bytes: Uint8Array,
  signature: Uint8Array,
  keys: string | Uint8Array,
): Promise<string | undefined> {
  const [known, signatures] = await Promise.all([readPublicKeys(keys), readSignatures(signature)])
  for (const packet of signatures.slice(0, maxSignatures)) {
    const parts = known.flatMap((key) => key.getKeys(packet.issuerKeyID).map((part) => ({ key, part })))
    const first = parts[0]
    if (first === undefined) continue
    const isRight = await Promise.all(parts.map(({ part }) => matches(bytes, packet, part)))
    if (!isRight.includes(true)) return `its signature by the key ${namesOf(first)} is not one of these bytes`
  }
  return undefined
}

/** True also when that cannot be told. */
async function matches(bytes: Uint8Array, packet: SignaturePacket, part: Key | Subkey): Promise<boolean> {
  const { packets } = await createMessage({ binary: bytes })
  try {
    const type = packet.signatureType as NonNullable<typeof packet.signatureType>
    await packet.verify(part.keyPacket, type, packets[0] as object, packet.created ?? new Date(), true, anything)
    return true
  } catch (error) {
    return inabilities.test(messageOf(error))
  }
}

function namesOf({ key, part }: { readonly key: Key; readonly part: Key | Subkey }): string {
  const userId = key.getUserIDs()[0]
  return `${part.getKeyID().toHex().toUpperCase()}${userId === undefined ? '' : ` (${userId})`}`
}
