/** The longest piece that LZMA2 makes at once. */
export const maxPieceBytes = 2 * 1024 * 1024

/** The bytes that were made last, which matches refer to. */
export class LzmaWindow {
  readonly bytes: Uint8Array
  readonly #dictionaryBytes: number
  /** Where the next byte goes. */
  at = 0
  /** Where matches must not reach beyond. */
  begin = 0

  constructor(dictionaryBytes: number) {
    this.#dictionaryBytes = dictionaryBytes
    this.bytes = Buffer.allocUnsafe(dictionaryBytes + 2 * maxPieceBytes)
  }

  /** Forgets what matches could refer to. */
  reset(): void {
    this.begin = this.at
  }

  /** Makes room for another piece. */
  prepare(): void {
    if (this.at + maxPieceBytes <= this.bytes.length) return
    const oldest = Math.max(this.begin, this.at - this.#dictionaryBytes)
    // the place of a byte counts, modulo 16
    const from = oldest - ((oldest - this.begin) % 16)
    this.bytes.copyWithin(0, from, this.at)
    this.at -= from
    this.begin = 0
  }

  /** Repeats what was made `distance` bytes ago; false when there is nothing. */
  repeat(distance: number, length: number): boolean {
    const from = this.at - distance
    if (from < this.begin || distance > this.#dictionaryBytes) return false
    const { bytes, at } = this
    for (let offset = 0; offset < length; offset++) bytes[at + offset] = bytes[from + offset] as number
    this.at = at + length
    return true
  }
}
