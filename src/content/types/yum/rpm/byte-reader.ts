import { unreadable } from './unreadable-rpm.ts'

/** Takes bytes from the beginning of a stream. It holds what was asked for and what came along with it, no more. */
export class ByteReader implements AsyncDisposable {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]()
  }

  /** @throws AppError `invalid` when the stream has fewer bytes */
  async take(count: number): Promise<Buffer> {
    const parts: Uint8Array[] = [this.#rest]
    let length = this.#rest.length
    while (length < count) {
      const chunk = await this.#next()
      if (chunk === undefined) throw unreadable('it ends within its headers')
      parts.push(chunk)
      length += chunk.length
    }
    const taken = parts.length === 1 ? this.#rest : Buffer.concat(parts, length)
    this.#rest = taken.subarray(count)
    return taken.subarray(0, count)
  }

  /** All that was not taken. */
  async *remaining(): AsyncGenerator<Uint8Array> {
    yield this.#rest
    for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) yield chunk
  }

  async #next(): Promise<Uint8Array | undefined> {
    const { done, value } = await this.#chunks.next()
    return done === true ? undefined : value
  }

  /** Ends the stream, wherever it is. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chunks.return?.()
  }
}
