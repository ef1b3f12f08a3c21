/** Bytes that arrive in chunks, to be read in pieces of one's own size. */
export class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>
  #buffer: Uint8Array = new Uint8Array(0)
  #at = 0
  #isDone = false
  /** How many bytes were given out and not put back. */
  readBytes = 0

  constructor(content: AsyncIterable<Uint8Array>) {
    this.#chunks = content[Symbol.asyncIterator]()
  }

  /** Looks at the next bytes without reading them: fewer than asked for only at the end. */
  async peek(count: number): Promise<Uint8Array> {
    const parts = [this.#buffer.subarray(this.#at)]
    let length = this.#buffer.length - this.#at
    while (length < count && !this.#isDone) {
      const { done, value } = await this.#chunks.next()
      if (done === true) this.#isDone = true
      else parts.push(value)
      length += value?.length ?? 0
    }
    if (parts.length > 1) this.#replace(Buffer.concat(parts))
    return this.#buffer.subarray(this.#at, this.#at + count)
  }

  /** Reads so many bytes: fewer only at the end. They are good until the next call. */
  async read(count: number): Promise<Uint8Array> {
    const bytes = await this.peek(count)
    this.#at += bytes.length
    this.readBytes += bytes.length
    return bytes
  }

  /** Reads what is there already, or else arrives next; undefined at the end. */
  async readChunk(): Promise<Uint8Array | undefined> {
    const [first] = await this.peek(1)
    if (first === undefined) return undefined
    return this.read(this.#buffer.length - this.#at)
  }

  /** Puts bytes back that were read last. */
  unread(bytes: Uint8Array): void {
    this.readBytes -= bytes.length
    this.#replace(Buffer.concat([bytes, this.#buffer.subarray(this.#at)]))
  }

  async isAtEnd(): Promise<boolean> {
    return (await this.peek(1)).length === 0
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  #replace(buffer: Uint8Array): void {
    this.#buffer = buffer
    this.#at = 0
  }
}
