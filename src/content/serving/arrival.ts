import type { GrowingBlob } from '../../platform/blobs/blob-store.ts'
import { AppError } from '../../platform/errors.ts'

/** What is kept back until all bytes are proven to be the right ones. */
const heldBackBytes = 64 * 1024
const pieceBytes = 256 * 1024

/** Brings a file, and tells of its bytes while they come. Resolves when it is stored. */
export type Bring = (onGrowing: (blob: GrowingBlob) => void) => Promise<void>

/** A file on its way from an upstream, for everybody who wants it meanwhile. */
export class Arrival {
  /** Resolves when the outcome is known, whichever it is. */
  readonly ended: Promise<void>
  readonly #sizeBytes: number
  readonly #stored: Promise<void>
  #growing: GrowingBlob | undefined
  #isOver = false
  #next = Promise.withResolvers<void>()

  constructor(sizeBytes: number, bring: Bring) {
    this.#sizeBytes = sizeBytes
    this.#stored = bring((blob) => {
      this.#growing = blob
      this.#wake()
    })
    const end = () => {
      this.#isOver = true
      this.#wake()
    }
    this.ended = this.#stored.then(end, end)
  }

  /** Resolves when the bytes are stored; rejects with what stopped them from coming, or with the signal's reason. */
  async stored(signal: AbortSignal): Promise<void> {
    await unlessAborted(this.#stored, signal)
  }

  /**
   * Gives the bytes as they come, but the last ones, and ends when all are stored.
   *
   * @throws AppError when they turn out to be the wrong ones, or must be fetched anew after some were given
   */
  async *follow(signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    let position = 0
    let followed: GrowingBlob | undefined
    while (!this.#isOver) {
      const { promise: next } = this.#next
      if (position > 0 && this.#growing !== followed)
        throw new AppError('upstream', 'Cannot go on: the upstream broke off and the file is fetched anew')
      followed = this.#growing
      const piece = await this.#readSafely(followed, position)
      position += piece.length
      if (piece.length > 0) yield piece
      else await unlessAborted(next, signal)
    }
    await this.#stored
  }

  /** What is there from a position on, without what is kept back. */
  async #readSafely(growing: GrowingBlob | undefined, position: number): Promise<Uint8Array> {
    const end = Math.min(growing?.sizeBytes ?? 0, this.#sizeBytes - heldBackBytes)
    if (growing === undefined || position >= end) return new Uint8Array()
    return growing.read(position, Math.min(end - position, pieceBytes))
  }

  #wake(): void {
    this.#next.resolve()
    this.#next = Promise.withResolvers()
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort))
}
