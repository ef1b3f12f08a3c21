import { STATUS_CODES } from 'node:http'
import { wordsForFailure } from './failure-words.ts'
import type { FetchedBody, Timeouts } from './fetch-options.ts'
import { type Question, questionFailed } from './question.ts'
import type { RawAnswer } from './raw-request.ts'
import { parseRetryAfter } from './retry.ts'
import { shownUrl } from './shown-url.ts'

export interface Asked {
  readonly question: Question
  /** Who answered, without credentials. */
  readonly at: URL
  readonly timeouts: Timeouts
}

const temporaryStatuses: readonly number[] = [408, 429, 500, 502, 503, 504]

/** Gives the answer to the caller, or throws FetchError and drops its connection when it is none to be used. */
export function acceptAnswer(raw: RawAnswer, asked: Asked): FetchedBody {
  const headers = toHeaders(raw.headers)
  const problem = statusProblem(raw, headers, asked) ?? encodingProblem(headers, asked)
  if (problem !== undefined) {
    raw.body.drop()
    throw problem
  }
  const sizeBytes = parseSize(headers.get('content-length'))
  return {
    status: raw.status,
    headers,
    url: shownUrl(asked.at),
    sizeBytes,
    body: readBody(raw, asked, sizeBytes),
    async [Symbol.asyncDispose]() {
      raw.body.drop()
    },
  }
}

function statusProblem({ status }: RawAnswer, headers: Headers, { question, at }: Asked) {
  if (isWanted(status, question)) return undefined
  const words = STATUS_CODES[status]
  return questionFailed(question, `it answered ${status}${words === undefined ? '' : ` (${words})`}`, {
    at,
    status,
    headers,
    isTemporary: temporaryStatuses.includes(status),
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), Date.now()),
  })
}

function isWanted(status: number, { options, range }: Question): boolean {
  if (status === 304) return options.conditions !== undefined
  if (status === 206) return range !== undefined
  return status >= 200 && status <= 299
}

/** Servers often mark `x.gz` as `content-encoding: gzip`: then the encoding is the file's own and nothing was added. */
const ownEncodings: Readonly<Record<string, RegExp>> = {
  gzip: /\.t?gz$/i,
  'x-gzip': /\.t?gz$/i,
  bzip2: /\.t?bz2$/i,
  'x-bzip2': /\.t?bz2$/i,
  xz: /\.t?xz$/i,
  'x-xz': /\.t?xz$/i,
  zstd: /\.zst$/i,
}

function encodingProblem(headers: Headers, { question, at }: Asked) {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  const isPlain = encoding === '' || encoding === 'identity'
  if (isPlain || ownEncodings[encoding]?.test(at.pathname) === true) return undefined
  return questionFailed(question, `it sends the content encoding "${encoding}" that nobody asked for`, { at })
}

function toHeaders(raw: RawAnswer['headers']): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(raw)) {
    for (const one of [value ?? []].flat()) headers.append(name, one)
  }
  return headers
}

function parseSize(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

async function* readBody(
  raw: RawAnswer,
  { question, at, timeouts }: Asked,
  sizeBytes: number | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  let received = 0
  try {
    for await (const chunk of raw.body) {
      received += chunk.byteLength
      yield chunk
    }
  } catch (error) {
    question.options.signal?.throwIfAborted()
    const reason = breakWords(error, timeouts, `${received} of ${sizeBytes ?? 'an unknown number of'} bytes`)
    throw questionFailed(question, reason, { at, isTemporary: true, cause: error })
  }
}

function breakWords(error: unknown, timeouts: Timeouts, progress: string): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'UND_ERR_BODY_TIMEOUT') return `it sent nothing for ${timeouts.stallMs} ms after ${progress}`
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET') return `it stopped sending after ${progress}`
  return `it stopped sending after ${progress} (${wordsForFailure(error, timeouts).reason})`
}
