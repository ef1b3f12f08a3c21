import { createHash } from 'node:crypto'
import { AppError } from '../../platform/errors.ts'

/** What a reader was given of a file before anybody could prove it. */
export class GivenBytes {
  readonly #hash = createHash('sha256')
  sizeBytes = 0

  add(piece: Uint8Array): void {
    this.#hash.update(piece)
    this.sizeBytes += piece.length
  }

  /**
   * Whether the reader can go on in another copy of the file; false when too little of that is there to tell.
   *
   * @throws AppError `upstream` when the copy begins with other bytes
   */
  async canGoOnIn(copy: AsyncIterable<Uint8Array>): Promise<boolean> {
    const hash = createHash('sha256')
    let missingBytes = this.sizeBytes
    for await (const piece of copy) {
      const part = piece.subarray(0, missingBytes)
      hash.update(part)
      missingBytes -= part.length
      if (missingBytes === 0) break
    }
    if (missingBytes > 0) return false
    if (hash.digest().equals(this.#hash.copy().digest())) return true
    throw new AppError('upstream', 'Cannot go on: the upstream sends other bytes than those it began with')
  }
}
