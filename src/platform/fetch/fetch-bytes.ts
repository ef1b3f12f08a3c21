import { FetchError } from './fetch-error.ts'
import type { FetchedBody, FetchOptions } from './fetch-options.ts'
import type { Fetcher } from './fetcher.ts'

export interface FetchBytesOptions extends FetchOptions {
  readonly maxBytes: number
}

export interface FetchedBytes extends Pick<FetchedBody, 'status' | 'headers' | 'url'> {
  /** Empty when the status is 304. */
  readonly bytes: Buffer
}

/** Reads something small into memory; begins anew when it breaks off. Throws FetchError when it is not small. */
export function fetchBytes(fetcher: Fetcher, url: URL | string, options: FetchBytesOptions): Promise<FetchedBytes> {
  return fetcher.read(url, options, async ({ status, headers, url: at, body }) => {
    const chunks: Uint8Array[] = []
    let sizeBytes = 0
    for await (const chunk of body) {
      sizeBytes += chunk.byteLength
      if (sizeBytes > options.maxBytes) {
        throw new FetchError(`Cannot fetch ${at}: it has more than ${options.maxBytes} bytes`, { url: at, status })
      }
      chunks.push(chunk)
    }
    return { status, headers, url: at, bytes: Buffer.concat(chunks) }
  })
}
