import { findSignaturePacket, type SignaturePacket } from './openpgp-packet.ts'
import type { RpmHeader } from './rpm-header.ts'
import { signatureTags } from './rpm-tags.ts'
import { unreadable } from './unreadable-rpm.ts'

/** An OpenPGP signature that a package carries, not verified. */
export interface RpmSignature {
  /** What it is over: the main header alone, or with the payload. */
  readonly covers: 'header' | 'all'
  readonly bytes: Buffer
  /** Undefined when it is of a form that is not known here. */
  readonly packet: SignaturePacket | undefined
}

const binaryTags = [
  { tag: signatureTags.rsaOfHeader, covers: 'header' },
  { tag: signatureTags.dsaOfHeader, covers: 'header' },
  { tag: signatureTags.pgpOfAll, covers: 'all' },
  { tag: signatureTags.gpgOfAll, covers: 'all' },
] as const

/** More than any package has signers. */
const maxSignatures = 16

/** Far more than the longest signature has. */
const maxSignatureBytes = 64 * 1024

/**
 * Those of the newest form, base64 in texts, come first. A signature in two forms is there twice.
 *
 * @throws AppError `invalid` when there are more, or longer ones, than packages have
 */
export function listSignatures(signature: RpmHeader): readonly RpmSignature[] {
  const count = signature.countOf(signatureTags.openPgpOfHeader)
  if (count > maxSignatures) throw unreadable(`${count} signatures`)
  const texts = signature.listTexts(signatureTags.openPgpOfHeader)
  const newest = texts.map((text) => readSignature('header', Buffer.from(text, 'base64')))
  const others = binaryTags.flatMap(({ tag, covers }) => {
    const bytes = signature.findBytes(tag)
    return bytes === undefined ? [] : [readSignature(covers, bytes)]
  })
  return [...newest, ...others]
}

function readSignature(covers: RpmSignature['covers'], bytes: Buffer): RpmSignature {
  if (bytes.length > maxSignatureBytes) throw unreadable(`a signature of ${bytes.length} bytes`)
  return { covers, bytes, packet: findSignaturePacket(bytes) }
}
