import type { ByteRange, GrowingBlob, OpenedBlob } from '../../platform/blobs/blob-store.ts'
import { GivenBytes } from './given-bytes.ts'

/** What is kept back until all bytes are proven to be the right ones. */
const heldBackBytes = 64 * 1024
const pieceBytes = 256 * 1024

/** Opens bytes that are proven. */
export type OpenBytes = (range?: ByteRange) => Promise<OpenedBlob>

/**
 * A file on its way from an upstream, for everybody who wants it meanwhile. Who brings it says how it gets on with `grow`,
 * and in the end with `complete` or `fail`.
 */
export class Arrival {
  readonly #sizeBytes: number
  readonly #outcome = Promise.withResolvers<OpenBytes>()
  #growing: GrowingBlob | undefined
  #isDubious = false
  #isOver = false
  #next = Promise.withResolvers<void>()

  constructor(sizeBytes: number) {
    this.#sizeBytes = sizeBytes
    this.#outcome.promise.catch(() => undefined) // perhaps nobody waits any more
  }

  /** Whether the bytes that came first were not the right ones: those that come now may not be either. */
  get isDubious(): boolean {
    return this.#isDubious
  }

  /** More bytes are there, or others: the file is fetched anew. */
  grow(blob: GrowingBlob): void {
    this.#isDubious ||= this.#growing !== undefined && this.#growing !== blob
    this.#growing = blob
    this.#wake()
  }

  /** All bytes are there and are the right ones. */
  complete(open: OpenBytes): void {
    this.#outcome.resolve(open)
    this.#end()
  }

  /** Without effect after `complete`. */
  fail(error: unknown): void {
    this.#outcome.reject(error)
    this.#end()
  }

  /** Resolves when all bytes are proven; rejects with what stopped them from coming, or with the signal's reason. */
  whole(signal: AbortSignal): Promise<OpenBytes> {
    return unlessAborted(this.#outcome.promise, signal)
  }

  /**
   * Gives the bytes as they come, the last ones when all are proven. Goes on when the file is fetched anew and begins with
   * the same bytes.
   *
   * @throws AppError when it begins with others, or what stopped the file from coming
   */
  async *follow(signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const given = new GivenBytes()
    let followed: GrowingBlob | undefined
    while (!this.#isOver) {
      const { promise: next } = this.#next
      const newest = this.#growing
      if (newest !== followed && (await given.canGoOnIn(readGrowing(newest, given.sizeBytes)))) followed = newest
      const piece = await this.#readSafely(followed, given.sizeBytes)
      given.add(piece)
      if (piece.length > 0) yield piece
      else await unlessAborted(next, signal)
    }
    const open = await this.#outcome.promise
    if (this.#growing !== followed) await given.canGoOnIn(readProven(open, given.sizeBytes))
    await using rest = await open({ start: given.sizeBytes })
    yield* rest.body
  }

  /** What is there from a position on, without what is kept back. */
  async #readSafely(growing: GrowingBlob | undefined, position: number): Promise<Uint8Array> {
    const end = Math.min(growing?.sizeBytes ?? 0, this.#sizeBytes - heldBackBytes)
    if (growing === undefined || position >= end) return new Uint8Array()
    return growing.read(position, Math.min(end - position, pieceBytes))
  }

  #end(): void {
    this.#isOver = true
    this.#wake()
  }

  #wake(): void {
    this.#next.resolve()
    this.#next = Promise.withResolvers()
  }
}

/** The first bytes, unless fewer are there. */
async function* readGrowing(growing: GrowingBlob | undefined, sizeBytes: number): AsyncGenerator<Uint8Array> {
  if (growing === undefined || growing.sizeBytes < sizeBytes) return
  for (let position = 0; position < sizeBytes; ) {
    const piece = await growing.read(position, Math.min(sizeBytes - position, pieceBytes))
    if (piece.length === 0) return
    position += piece.length
    yield piece
  }
}

async function* readProven(open: OpenBytes, sizeBytes: number): AsyncGenerator<Uint8Array> {
  if (sizeBytes === 0) return
  await using start = await open({ start: 0, end: sizeBytes - 1 })
  yield* start.body
}

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort))
}
