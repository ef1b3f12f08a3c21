import { generateKey, type KeyOptions } from 'openpgp'
import type { SigningAlgorithm } from '../tables.ts'

/** An OpenPGP key (version 4, which all package clients read) that can sign and nothing else, and never expires. */
export interface MadeKey {
  /** Of 40 hexadecimal digits, in capitals. */
  readonly fingerprint: string
  readonly publicKey: Uint8Array
  readonly privateKey: Uint8Array
}

const kinds: Readonly<Record<SigningAlgorithm, Pick<KeyOptions, 'type' | 'curve' | 'rsaBits'>>> = {
  ed25519: { type: 'ecc', curve: 'ed25519Legacy' },
  rsa3072: { type: 'rsa', rsaBits: 3072 },
  rsa4096: { type: 'rsa', rsaBits: 4096 },
}

export async function makeKey(
  algorithm: SigningAlgorithm,
  { owner, createdAt }: { readonly owner: string; readonly createdAt: Date },
): Promise<MadeKey> {
  const made = await generateKey({
    ...kinds[algorithm],
    userIDs: [{ name: userId(owner) }],
    date: createdAt,
    // the key itself signs: rpm and apt handle that best
    subkeys: [],
    format: 'object',
  })
  return {
    fingerprint: made.publicKey.getFingerprint().toUpperCase(),
    publicKey: made.publicKey.write(),
    privateKey: made.privateKey.write(),
  }
}

/** What keyrings show, on one line and without what marks an address or a comment there. */
function userId(owner: string): string {
  const plain = owner
    .replaceAll(/[\p{C}<>()\s]+/gu, ' ')
    .trim()
    .slice(0, 200)
  return `${plain} (Backhaul)`.trim()
}
