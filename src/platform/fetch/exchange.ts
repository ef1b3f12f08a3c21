import { AppError } from '../errors.ts'
import { acceptAnswer } from './answer.ts'
import type { Dispatchers, DispatchersOptions } from './dispatchers.ts'
import type { FetchedBody } from './fetch-options.ts'
import { isPrivateHost, PrivateAddressError } from './private-guard.ts'
import { connectionFailed, type Question, questionFailed, requestHeaders } from './question.ts'
import { type RawAnswer, requestRaw } from './raw-request.ts'
import { isHttp, withoutCredentials } from './requested-url.ts'
import { shownUrl } from './shown-url.ts'

export interface ExchangeParts extends DispatchersOptions {
  readonly dispatchers: Dispatchers
  readonly userAgent: string
}

const defaultMaxRedirects = 10
const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308]
const redirectPageBytes = 16 * 1024

/**
 * Asks once and follows redirects. Throws FetchError, AppError `invalid` where an address is denied, or the reason of
 * the signal.
 */
export async function exchange(parts: ExchangeParts, question: Question): Promise<FetchedBody> {
  const { maxRedirects = defaultMaxRedirects } = question.options
  let at = withoutCredentials(question.url)
  for (let redirects = 0; ; redirects += 1) {
    const raw = await ask(parts, question, at)
    const target = redirectTarget(raw, question, at)
    if (target === undefined) return acceptAnswer(raw, { question, at, timeouts: parts.timeouts })
    await readAway(raw, parts.timeouts.stallMs)
    if (redirects >= maxRedirects) throw questionFailed(question, `more than ${maxRedirects} redirects`, { at })
    at = target
  }
}

async function ask(parts: ExchangeParts, question: Question, at: URL): Promise<RawAnswer> {
  const { method = 'GET', signal } = question.options
  signal?.throwIfAborted()
  const route = question.identity.route(at)
  if (parts.deny === 'private' && route.proxy !== undefined && isPrivateHost(at.hostname)) throw denied(question)
  const headers = { 'user-agent': parts.userAgent, ...requestHeaders(question, at) }
  try {
    const path = `${at.pathname}${at.search}`
    const { answerMs: headersTimeout, stallMs: bodyTimeout } = parts.timeouts
    const request = { origin: at.origin, path, method, headers, headersTimeout, bodyTimeout }
    return await requestRaw(parts.dispatchers.for(route), request, signal)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof AppError) throw error
    throw isDenial(error) ? denied(question) : connectionFailed(question, error, { at, timeouts: parts.timeouts })
  }
}

/** Where the answer leads (RFC 9110 section 15.4); `undefined` when it is the one that was wanted. */
function redirectTarget(raw: RawAnswer, question: Question, at: URL): URL | undefined {
  if (!redirectStatuses.includes(raw.status)) return undefined
  const location = raw.headers['location']
  if (typeof location !== 'string') return undefined
  const target = URL.parse(location, at.href)
  if (target !== null && isHttp(target)) return withoutCredentials(target)
  raw.body.drop()
  const shown = target === null ? 'what is no URL' : `${target.protocol} which is not supported`
  throw questionFailed(question, `it redirects to ${shown}`, { at })
}

/** So that the connection can be used again, unless the page of the redirect is long or slow. */
async function readAway({ body }: RawAnswer, longestMs: number): Promise<void> {
  const timer = setTimeout(() => body.drop(), longestMs)
  let left = redirectPageBytes
  try {
    for await (const chunk of body) {
      left -= chunk.byteLength
      if (left < 0) break
    }
  } catch {
    // The page is not needed, only its end.
  } finally {
    clearTimeout(timer)
  }
}

function isDenial(error: unknown): boolean {
  if (error instanceof PrivateAddressError) return true
  return error instanceof Error && error.cause !== undefined && isDenial(error.cause)
}

function denied({ url }: Question): AppError {
  return new AppError('invalid', `Cannot fetch ${shownUrl(url)}: it leads to a private address, which is denied here`)
}
