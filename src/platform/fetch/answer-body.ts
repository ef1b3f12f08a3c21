/** What is read ahead of the reader before the upstream is told to wait. */
const readAheadBytes = 128 * 1024

export interface BodySource {
  pause(): void
  resume(): void
  /** Breaks the connection off. */
  abort(): void
}

/**
 * The bytes of one answer on their way from the connection to one reader. What arrived before a failure is read before
 * the failure is thrown, so that a reader knows exactly how far the upstream came.
 */
export class AnswerBody implements AsyncIterable<Uint8Array> {
  readonly #source: BodySource
  readonly #chunks: Uint8Array[] = []
  #queuedBytes = 0
  #end: { readonly failure?: unknown } | undefined
  #wake: (() => void) | undefined

  constructor(source: BodySource) {
    this.#source = source
  }

  push(chunk: Uint8Array): void {
    if (this.#end !== undefined) return
    this.#chunks.push(chunk)
    this.#queuedBytes += chunk.byteLength
    if (this.#queuedBytes >= readAheadBytes) this.#source.pause()
    this.#wake?.()
  }

  end(): void {
    this.#end ??= {}
    this.#wake?.()
  }

  fail(failure: unknown): void {
    this.#end ??= { failure }
    this.#wake?.()
  }

  /** Throws away what is left and breaks the connection off, unless everything has arrived. */
  drop(): void {
    this.#chunks.length = 0
    if (this.#end !== undefined) return
    this.end()
    this.#source.abort()
  }

  /** Can be iterated over once. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        for (let chunk = this.#chunks.shift(); chunk !== undefined; chunk = this.#chunks.shift()) {
          this.#queuedBytes -= chunk.byteLength
          yield chunk
        }
        if (this.#end !== undefined) break
        await this.#untilMore()
      }
      if (this.#end !== undefined && 'failure' in this.#end) throw this.#end.failure
    } finally {
      this.drop()
    }
  }

  async #untilMore(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    this.#source.resume()
    await promise
    this.#wake = undefined
  }
}
