import { AppError } from '../../../../platform/errors.ts'
import { fetchBytes } from '../../../../platform/fetch/fetch-bytes.ts'
import { FetchError } from '../../../../platform/fetch/fetch-error.ts'
import type { DiscoverContext } from '../../../content-type.ts'
import { type FoundRepomd, urlOf } from './find-repository.ts'

const maxSignatureBytes = 1024 * 1024

/**
 * Checks the signature of repomd.xml, where the repository has a key and the upstream signs. Many upstreams do not: one that
 * once did must go on.
 *
 * @returns whether it is signed
 * @throws AppError `upstream` for a wrong signature, or none where there was one before
 */
export async function checkRepomd(
  context: DiscoverContext,
  { base, bytes }: FoundRepomd,
  wasSigned: boolean,
): Promise<boolean> {
  const { checkSignature, upstream } = context
  if (checkSignature === undefined) return wasSigned
  const signature = await findSignature(context, urlOf(base, { href: 'repodata/repomd.xml.asc', base: undefined }))
  if (signature !== undefined) await checkSignature(`repomd.xml of ${upstream.url}`, { bytes, signature })
  else if (wasSigned)
    throw new AppError('upstream', `Cannot trust repomd.xml of ${upstream.url}: it was signed before, and is no more`)
  return signature !== undefined
}

async function findSignature(
  { fetcher, upstream, signal }: DiscoverContext,
  url: URL,
): Promise<Uint8Array | undefined> {
  try {
    const { bytes } = await fetchBytes(fetcher, url, { upstream, signal, maxBytes: maxSignatureBytes })
    return bytes
  } catch (error) {
    if (error instanceof FetchError && (error.status === 404 || error.status === 410)) return undefined
    throw error
  }
}
