import { createHash, type Hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { AppError } from '../../../../platform/errors.ts'
import { ByteReader } from './byte-reader.ts'
import { listSignatures, type RpmSignature } from './list-signatures.ts'
import { type RpmHeaders, readRpmHeaders } from './read-rpm-headers.ts'
import { mainTags, signatureTags } from './rpm-tags.ts'

export interface VerifiedRpm {
  readonly headers: RpmHeaders
  /** Which of the digests that the package carries were compared, and found right. */
  readonly verified: { readonly header: readonly string[]; readonly payload: readonly string[] }
  /** What is said to be signed, and by whom; no signature is verified here. */
  readonly signatures: readonly RpmSignature[]
}

const headerDigests = { sha256: signatureTags.sha256OfHeader, sha1: signatureTags.sha1OfHeader }
const pieceBytes = 4 * 1024 * 1024

/** The numbers that OpenPGP has for digests. */
const algorithms: Readonly<Record<number, string>> = {
  1: 'md5',
  2: 'sha1',
  8: 'sha256',
  9: 'sha384',
  10: 'sha512',
  11: 'sha224',
}

/**
 * Reads a whole rpm and compares it with the digests that it carries, the old MD5 only where there is no other of the
 * payload. Somebody who changed a package can change its digests too: they tell what is broken, not what is false.
 *
 * @throws AppError `invalid` when it cannot be read, or differs from a digest
 */
export async function verifyRpm(source: AsyncIterable<Uint8Array>): Promise<VerifiedRpm> {
  await using reader = new ByteReader(source)
  const headers = await readRpmHeaders(reader)
  const header = await verifyHeader(headers)
  const payload = await verifyPayload(headers, reader)
  return { headers, verified: { header, payload }, signatures: listSignatures(headers.signature) }
}

async function verifyHeader({ signature, main }: RpmHeaders): Promise<readonly string[]> {
  const verified: string[] = []
  for (const [algorithm, tag] of Object.entries(headerDigests)) {
    const expected = signature.findText(tag)
    if (expected === undefined) continue
    compare(`${algorithm} of its header`, await digestOf(algorithm, main.bytes), expected)
    verified.push(algorithm)
  }
  return verified
}

/** Others have their turn while a large header is digested. */
async function digestOf(algorithm: string, bytes: Buffer): Promise<string> {
  const digest = createHash(algorithm)
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    digest.update(bytes.subarray(at, at + pieceBytes))
    if (at + pieceBytes < bytes.length) await setImmediate()
  }
  return digest.digest('hex')
}

interface Check {
  readonly algorithm: string
  readonly expected: string
  readonly hash: Hash
}

async function verifyPayload(headers: RpmHeaders, reader: ByteReader): Promise<readonly string[]> {
  const check = findPayloadCheck(headers)
  if (check === undefined) return []
  for await (const chunk of reader.remaining()) check.hash.update(chunk)
  compare(`${check.algorithm} of its payload`, check.hash.digest('hex'), check.expected)
  return [check.algorithm]
}

function findPayloadCheck({ signature, main }: RpmHeaders): Check | undefined {
  const algorithm = algorithms[main.findNumber(mainTags.payloadDigestAlgorithm) ?? 0]
  const expected = main.findText(mainTags.payloadDigest)
  if (algorithm !== undefined && expected !== undefined) return { algorithm, expected, hash: createHash(algorithm) }
  const md5 = signature.findBytes(signatureTags.md5OfAll)
  if (md5 === undefined) return undefined
  return { algorithm: 'md5', expected: md5.toString('hex'), hash: createHash('md5').update(main.bytes) }
}

function compare(what: string, actual: string, expected: string): void {
  if (actual === expected.toLowerCase()) return
  throw new AppError(
    'invalid',
    `Cannot take the package: the ${what} is ${actual}, and it says ${JSON.stringify(expected.slice(0, 128))}`,
  )
}
