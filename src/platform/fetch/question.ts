import type { Identity } from './credentials.ts'
import { wordsForFailure } from './failure-words.ts'
import { FetchError, type FetchFailure } from './fetch-error.ts'
import type { FetchOptions, Timeouts } from './fetch-options.ts'
import { shownUrl } from './shown-url.ts'

/** What is asked for, as whom. */
export interface Question {
  readonly url: URL
  readonly identity: Identity
  readonly options: FetchOptions
  /** Continue a body from this byte, if it still is the one with this validator. */
  readonly range?: { readonly start: number; readonly validator: string } | undefined
}

/**
 * A failure of the question at the host that was asked last:
 * `Cannot fetch <url>[, redirected to <url>][ through proxy "<name>"]: <reason>`.
 */
export function questionFailed(
  { url: asked, options }: Question,
  reason: string,
  failure: Omit<FetchFailure, 'url'> & { readonly at: URL },
): FetchError {
  const [first, last] = [shownUrl(asked), shownUrl(failure.at)]
  const way = first === last ? first : `${first}, redirected to ${last}`
  const name = options.upstream?.proxy?.name
  const through = name === undefined ? '' : ` through proxy "${name}"`
  return new FetchError(`Cannot fetch ${way}${through}: ${reason}`, { ...failure, url: last })
}

/** The same for an error that some layer below threw. */
export function connectionFailed(
  question: Question,
  error: unknown,
  { at, timeouts }: { readonly at: URL; readonly timeouts: Timeouts },
): FetchError {
  const { reason, isTemporary } = wordsForFailure(error, timeouts)
  return questionFailed(question, reason, { at, isTemporary, cause: error })
}

const reservedNames: readonly string[] = ['authorization', 'cookie', 'proxy-authorization', 'host', 'accept-encoding']

/**
 * The headers for one host. Bytes are wanted as they are stored: their digests are of no use for an encoded form.
 */
export function requestHeaders({ identity, options, range }: Question, url: URL): Record<string, string> {
  const headers: Record<string, string> = { accept: '*/*' }
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    const lowerName = name.toLowerCase()
    if (reservedNames.includes(lowerName)) throw new TypeError(`Cannot send header "${name}" to every host`)
    headers[lowerName] = value
  }
  headers['accept-encoding'] = 'identity'
  const { etag, lastModified } = options.conditions ?? {}
  if (etag !== undefined) headers['if-none-match'] = etag
  if (lastModified !== undefined) headers['if-modified-since'] = lastModified
  if (range !== undefined) {
    headers['range'] = `bytes=${range.start}-`
    headers['if-range'] = range.validator
  }
  return { ...headers, ...identity.secretHeaders(url) }
}
