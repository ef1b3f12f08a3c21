/**
 * The closed set of things that can go wrong for a caller. What each one is in HTTP is decided in
 * `http/error-status.ts`, nowhere else.
 */
export type ErrorCode =
  | 'malformed'
  | 'invalid'
  | 'unsearchable'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'throttled'
  | 'upstream'
  | 'unavailable'
  | 'cancelled'
  | 'internal'

/** Messages per attribute, as they are shown to the caller: `{ name: ["can't be blank"] }`. */
export type FieldMessages = Readonly<Record<string, readonly string[]>>

export interface AppErrorOptions {
  readonly cause?: unknown
  readonly fields?: FieldMessages
}

/** The one error that callers are meant to see. Anything else that is thrown is a bug. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly fields: FieldMessages | undefined

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.fields = options.fields
  }
}

/** An `invalid` error about one attribute; the message reads "<field> <message>". */
export function invalidField(field: string, message: string): AppError {
  return new AppError('invalid', `${field} ${message}`, { fields: { [field]: [message] } })
}

export function notFound(kind: string, id: string | number): AppError {
  return new AppError('not_found', `Cannot find ${kind} "${id}"`)
}

/** Gives any thrown value as an `AppError`; what was not one becomes `internal` with the original as its cause. */
export function asAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  return new AppError('internal', 'Internal error', { cause: thrown })
}

/** The text of any thrown value, with the messages of its causes. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  if (thrown.cause === undefined || thrown instanceof AggregateError) return thrown.message
  const cause = messageOf(thrown.cause)
  return thrown.message.includes(cause) ? thrown.message : `${thrown.message}: ${cause}`
}
