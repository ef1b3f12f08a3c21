import { FetchError } from './fetch-error.ts'
import type { FetchedBody } from './fetch-options.ts'

export interface Continuing {
  /** A body that broke off is continued once at least this much of it is there. */
  readonly leastBytes: number
  /** How often it may break off in a row without having brought that much again. */
  readonly attempts: number
  /** Asks for the rest of the body, as long as it still is the one with this validator. */
  readonly reopen: (rest: Rest, broken: FetchError) => Promise<FetchedBody>
}

export interface Rest {
  readonly start: number
  readonly validator: string
}

/** The same answer, but its body goes on where it broke off, when the upstream can send parts (RFC 9110 section 14). */
export function continued(first: FetchedBody, continuing: Continuing): FetchedBody {
  const validator = findValidator(first)
  if (validator === undefined) return first
  const parts = new Parts(first, validator, continuing)
  return { ...first, body: parts.read(), [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose]() }
}

class Parts implements AsyncDisposable {
  readonly #first: FetchedBody
  readonly #validator: string
  readonly #continuing: Continuing
  #current: FetchedBody
  #position = 0
  #breaks = 0

  constructor(first: FetchedBody, validator: string, continuing: Continuing) {
    this.#first = first
    this.#current = first
    this.#validator = validator
    this.#continuing = continuing
  }

  async *read(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const startedAt = this.#position
      try {
        yield* this.#readCurrent()
        return
      } catch (error) {
        this.#countBreak(this.#position - startedAt)
        if (!this.#canContinueAfter(error)) throw error
        this.#current = await this.#openRest(error)
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#current[Symbol.asyncDispose]()
  }

  async *#readCurrent(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of this.#current.body) {
      this.#position += chunk.byteLength
      yield chunk
    }
  }

  #countBreak(broughtBytes: number): void {
    this.#breaks = broughtBytes >= this.#continuing.leastBytes ? 1 : this.#breaks + 1
  }

  #canContinueAfter(error: unknown): error is FetchError {
    const { leastBytes, attempts } = this.#continuing
    if (!(error instanceof FetchError) || !error.isTemporary) return false
    return this.#position >= leastBytes && this.#breaks < attempts
  }

  /** Throws the original failure when the upstream sends something else than the rest. */
  async #openRest(broken: FetchError): Promise<FetchedBody> {
    const start = this.#position
    const rest = await this.#continuing.reopen({ start, validator: this.#validator }, broken)
    const [, from, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(rest.headers.get('content-range') ?? '') ?? []
    const { sizeBytes } = this.#first
    const isSameSize = total === '*' || sizeBytes === undefined || Number(total) === sizeBytes
    if (rest.status === 206 && Number(from) === start && isSameSize) return rest
    await rest[Symbol.asyncDispose]()
    throw broken
  }
}

/** A strong entity tag, or else the date. */
function findValidator({ status, headers }: FetchedBody): string | undefined {
  if (status !== 200 || headers.get('accept-ranges') === 'none') return undefined
  const etag = headers.get('etag')
  return etag?.startsWith('"') === true ? etag : (headers.get('last-modified') ?? undefined)
}
