import { AppError } from '../errors.ts'

export interface FetchFailure {
  /** The URL as it may be shown, without credentials. */
  readonly url: string
  /** What the upstream answered; `undefined` when there was no answer. */
  readonly status?: number | undefined
  /** The headers of that answer. */
  readonly headers?: Headers | undefined
  /** Asking again may help. */
  readonly isTemporary?: boolean | undefined
  /** How long the upstream asked to be left alone. */
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** An `upstream` error: somebody else's server did not give what it should. Its message names URL and reason. */
export class FetchError extends AppError {
  readonly url: string
  readonly status: number | undefined
  readonly headers: Headers
  readonly isTemporary: boolean
  readonly retryAfterMs: number | undefined

  constructor(message: string, failure: FetchFailure) {
    super('upstream', message, { cause: failure.cause })
    this.name = 'FetchError'
    this.url = failure.url
    this.status = failure.status
    this.headers = failure.headers ?? new Headers()
    this.isTemporary = failure.isTemporary ?? false
    this.retryAfterMs = failure.retryAfterMs
  }
}
