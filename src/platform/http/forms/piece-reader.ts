import { AppError } from '../../errors.ts'

/** Takes bytes that come in pieces of any size apart at given words, holding back no more than a piece and a word. */
export class PieceReader {
  readonly #source: AsyncIterator<Uint8Array>
  #held: Buffer = Buffer.alloc(0)
  #isAtEnd = false

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** The bytes up to the next `word`, which is taken too. @throws AppError `malformed` when it does not come */
  async *until(word: Buffer): AsyncGenerator<Uint8Array> {
    while (true) {
      const at = this.#held.indexOf(word)
      if (at >= 0) {
        const before = this.#held.subarray(0, at)
        this.#held = this.#held.subarray(at + word.length)
        if (before.length > 0) yield before
        return
      }
      const sure = Math.max(0, this.#held.length - word.length + 1)
      const before = this.#held.subarray(0, sure)
      this.#held = this.#held.subarray(sure)
      if (before.length > 0) yield before
      if (!(await this.#more())) throw cutOff()
    }
  }

  /** The bytes up to the next `word` as a whole. @throws AppError `malformed` when there are more than `maxBytes` */
  async wholeUntil(word: Buffer, maxBytes: number): Promise<Buffer> {
    return wholeOf(this.until(word), maxBytes)
  }

  /** The next `count` bytes. */
  async take(count: number): Promise<Buffer> {
    while (this.#held.length < count) if (!(await this.#more())) throw cutOff()
    const taken = this.#held.subarray(0, count)
    this.#held = this.#held.subarray(count)
    return taken
  }

  async #more(): Promise<boolean> {
    if (this.#isAtEnd) return false
    const { value, done } = await this.#source.next()
    this.#isAtEnd = done === true
    if (!this.#isAtEnd) this.#held = Buffer.concat([this.#held, value as Uint8Array])
    return !this.#isAtEnd
  }
}

/** @throws AppError `malformed` when there are more than `maxBytes` */
export async function wholeOf(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body) {
    size += piece.length
    if (size > maxBytes)
      throw new AppError('malformed', `Cannot read the form: a field is longer than ${maxBytes} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function cutOff(): AppError {
  return new AppError('malformed', 'Cannot read the form: it ends in the middle')
}
