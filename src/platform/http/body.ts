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

/** Deeper values are no honest request, and would exhaust the stack of whatever walks or shows them. */
const maxDepth = 100

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
  const value = decodeJson(bytes)
  if (isDeeper(value, maxDepth)) throw new AppError('malformed', 'Cannot read the body: it is nested too deeply')
  return value
}

function decodeJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (error) {
    throw new AppError('malformed', `Cannot read the body: it is not JSON (${(error as Error).message})`, {
      cause: error,
    })
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1))
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
