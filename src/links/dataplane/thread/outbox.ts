import { Region } from '../../../platform/native/region.ts'

/** The most frames that are read, or sent, in one go. */
export const batchFrames = 64

/** Bytes of a `struct iovec` in words: address (2), length (2). */
const iovecWords = 4

/**
 * Frames that are about to leave by one port, in order, each where it already lies in memory. The kernel reads the
 * `iovecs`; captures read `sources`, `offsets` and `lengths`. Used again for each batch.
 */
export class Outbox {
  count = 0
  /** Bytes of all frames. */
  bytes = 0
  failedFrames = 0
  failedBytes = 0
  readonly sources: Region[] = []
  readonly offsets = new Int32Array(batchFrames)
  readonly lengths = new Int32Array(batchFrames)
  readonly iovecs = new Region(batchFrames * iovecWords * 4)

  get isFull(): boolean {
    return this.count === batchFrames
  }

  add(source: Region, offset: number, length: number): void {
    const index = this.count
    this.sources[index] = source
    this.offsets[index] = offset
    this.lengths[index] = length
    const words = this.iovecs.words
    source.writeAddress(offset, words, index * iovecWords)
    words[index * iovecWords + 2] = length
    this.count = index + 1
    this.bytes += length
  }

  /** Notes that a frame was not taken by the kernel. */
  fail(index: number): void {
    this.failedFrames += 1
    this.failedBytes += this.lengths[index] ?? 0
  }

  clear(): void {
    this.count = 0
    this.bytes = 0
    this.failedFrames = 0
    this.failedBytes = 0
  }
}
