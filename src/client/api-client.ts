import type { Static, TObject, TSchema } from 'typebox'
import { AppError, type ErrorCode, type FieldMessages } from '../platform/errors.ts'
import type { Endpoint } from '../platform/http/endpoint.ts'

export interface ApiClientOptions {
  /** Where the API listens, without a path. */
  readonly url: string
  /** The value of the `Authorization` header. */
  readonly authorization: string
}

export interface Asked<P extends TObject, Q extends TObject, B extends TSchema> {
  readonly params?: Static<P>
  readonly query?: Static<Q>
  readonly body?: Static<B>
}

export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

/** Asks a Backhaul through the same definitions that it checks requests with. */
export class ApiClient {
  readonly #options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.#options = options
  }

  /** @throws AppError with the code and the message that the server gave, or `unavailable` when there is none */
  async call<P extends TObject, Q extends TObject, B extends TSchema, R = unknown>(
    { method, path }: Endpoint<P, Q, B>,
    { params, query, body }: Asked<P, Q, B> = {},
  ): Promise<R> {
    const url = new URL(filled(path, (params ?? {}) as Record<string, unknown>), this.#options.url)
    for (const [name, value] of Object.entries((query ?? {}) as Record<string, unknown>))
      url.searchParams.set(name, String(value))
    const response = await this.#send(url, method, body)
    const text = await response.text()
    const reply: unknown = text === '' ? undefined : JSON.parse(text)
    if (!response.ok) throw errorOf(response.status, reply)
    return reply as R
  }

  async #send(url: URL, method: string, body: unknown): Promise<Response> {
    const { authorization } = this.#options
    try {
      return await fetch(url, {
        method,
        headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    } catch (error) {
      throw new AppError('unavailable', `Cannot reach Backhaul at ${this.#options.url}: is it running?`, {
        cause: error,
      })
    }
  }
}

function filled(path: string, params: Readonly<Record<string, unknown>>): string {
  return path
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
    .replace('{path...}', () => String(params['path']).split('/').map(encodeURIComponent).join('/'))
}

const codeOf: Readonly<Record<number, ErrorCode>> = {
  400: 'malformed',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  422: 'invalid',
  429: 'throttled',
}

function errorOf(status: number, reply: unknown): AppError {
  const body = (reply ?? {}) as {
    message?: string
    displayMessage?: string
    error?: { message?: string }
    errors?: FieldMessages
  }
  const message = body.displayMessage ?? body.message ?? body.error?.message ?? `The server answered ${status}`
  const fields = body.errors === undefined || Array.isArray(body.errors) ? {} : { fields: body.errors }
  return new AppError(codeOf[status] ?? 'internal', message, fields)
}
