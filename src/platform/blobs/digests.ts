import { createHash, type Hash } from 'node:crypto'
import { AppError } from '../errors.ts'

const digestLengths = { md5: 32, sha1: 40, sha224: 56, sha256: 64, sha384: 96, sha512: 128 } as const

export type DigestAlgorithm = keyof typeof digestLengths

/** Digests of the same bytes, in lower-case hexadecimal digits. */
export type Digests = Readonly<Partial<Record<DigestAlgorithm, string>>>

export const digestAlgorithms = Object.keys(digestLengths) as readonly DigestAlgorithm[]

/** True for a digest as this program writes it; anything else must not become part of a path or a query. */
export function isDigest(algorithm: DigestAlgorithm, text: string): boolean {
  return text.length === digestLengths[algorithm] && /^[0-9a-f]+$/.test(text)
}

/** @throws AppError `invalid` when the text is not 64 lower-case hexadecimal digits */
export function assertSha256(text: string): void {
  if (isDigest('sha256', text)) return
  throw new AppError('invalid', `Cannot use "${text}" as a sha256: it is not 64 lower-case hexadecimal digits`)
}

/** Several digests of the same bytes in one pass; sha256 is always among them. */
export class Hasher {
  readonly #hashes: ReadonlyMap<DigestAlgorithm, Hash>

  constructor(algorithms: Iterable<DigestAlgorithm> = []) {
    const wanted = new Set<DigestAlgorithm>(['sha256', ...algorithms])
    this.#hashes = new Map([...wanted].map((algorithm) => [algorithm, createHash(algorithm)]))
  }

  update(bytes: Uint8Array): void {
    for (const hash of this.#hashes.values()) hash.update(bytes)
  }

  /** Ends the hashing: it can be called once. */
  finish(): Digests & { readonly sha256: string } {
    const found = Object.fromEntries([...this.#hashes].map(([algorithm, hash]) => [algorithm, hash.digest('hex')]))
    return found as Digests & { sha256: string }
  }
}
