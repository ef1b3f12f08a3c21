import type { ExpectedBytes } from '../../platform/blobs/blob-store.ts'
import { type DigestAlgorithm, digestAlgorithms, isDigest } from '../../platform/blobs/digests.ts'
import { invalidField } from '../../platform/errors.ts'

export interface SaidOfBytes {
  readonly checksum?: string | null
  readonly digest?: string | null
}

/**
 * What a sender says of the digests of a file.
 *
 * @throws AppError `invalid` for what is no digest that can be checked, and for two that contradict each other
 */
export function expectedBytes({ checksum, digest }: SaidOfBytes): ExpectedBytes {
  const given = [checksum, digest].filter((text) => typeof text === 'string' && text !== '') as string[]
  const expected: { [A in DigestAlgorithm]?: string } = {}
  for (const [algorithm, hex] of given.map(parseDigest)) {
    if ((expected[algorithm] ?? hex) !== hex) throw invalidField('uploads', 'has a checksum that is not its digest')
    expected[algorithm] = hex
  }
  return expected
}

function parseDigest(text: string): [DigestAlgorithm, string] {
  const hex = text.slice(text.indexOf(':') + 1).toLowerCase()
  const algorithm = digestAlgorithms.find((name) => isDigest(name, hex))
  const isNamed = text.includes(':')
  if (algorithm === undefined || (isNamed && text.toLowerCase() !== `${algorithm}:${hex}`))
    throw invalidField('uploads', `has "${text.slice(0, 100)}" as checksum, which is none that is known`)
  return [algorithm, hex]
}
