import { AppError } from '../errors.ts'
import type { Family } from './family.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Methods whose bodies carry attributes; Katello's clients also send `{}` with a DELETE. */
const bodyMethods = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

export interface RawBody {
  readonly family: Family
  readonly method: string
  readonly contentType: string | undefined
  readonly bytes: Buffer | undefined
}

/**
 * Gives the JSON of a body, `{}` when there is none. The links API looks at no Content-Type, the content API insists on JSON.
 *
 * @throws AppError `malformed` or `unsupported_media_type`
 */
export function parseBody({ family, method, contentType, bytes }: RawBody): unknown {
  if (!bodyMethods.has(method) || bytes === undefined || bytes.length === 0) return {}
  if (family !== 'links' && !isJson(contentType)) {
    throw new AppError(
      'unsupported_media_type',
      `Cannot read the body: "${contentType ?? ''}" is unsupported, send application/json`,
    )
  }
  return parseJson(bytes)
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(contentType ?? '')
}

function parseJson(bytes: Buffer): unknown {
  let text: string
  try {
    text = utf8.decode(bytes)
    return JSON.parse(text)
  } catch (error) {
    throw new AppError('malformed', `Cannot read the body: it is not JSON (${(error as Error).message})`, {
      cause: error,
    })
  }
}

/** The wrapped attributes when the body is `{"<wrapper>": {…}}`, with what stands beside them; else the body itself. */
export function unwrap(body: unknown, wrapper: string | undefined): unknown {
  if (wrapper === undefined || !isRecord(body) || !isRecord(body[wrapper])) return body
  const { [wrapper]: inner, ...beside } = body
  return { ...beside, ...(inner as Record<string, unknown>) }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
