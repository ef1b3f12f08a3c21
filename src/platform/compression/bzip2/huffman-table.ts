import type { BitReader } from './bit-reader.ts'

const maxBits = 20

/** The codes of one table: shorter ones are smaller, and within a length they follow each other. */
export class HuffmanTable {
  /** For each length the first code that is too large for it, moved up to 20 bits. */
  readonly #limits = new Int32Array(maxBits + 2)
  readonly #offsets = new Int32Array(maxBits + 2)
  readonly #symbols: Uint16Array
  #shortest = maxBits

  constructor(lengths: Uint8Array) {
    this.#symbols = new Uint16Array(lengths.length)
    let code = 0
    let place = 0
    for (let bits = 1; bits <= maxBits; bits++) {
      this.#offsets[bits] = place - code
      for (const [symbol, length] of lengths.entries()) {
        if (length !== bits) continue
        this.#symbols[place++] = symbol
        code++
        this.#shortest = Math.min(this.#shortest, bits)
      }
      this.#limits[bits] = code * 2 ** (maxBits - bits)
      code *= 2
    }
  }

  /** The next symbol; -1 for a code that there is not. */
  decode(reader: BitReader): number {
    const next = reader.peek(maxBits)
    let bits = this.#shortest
    while (bits <= maxBits && next >= (this.#limits[bits] as number)) bits++
    if (bits > maxBits) return -1
    reader.skip(bits)
    return this.#symbols[(next >>> (maxBits - bits)) + (this.#offsets[bits] as number)] ?? -1
  }
}
