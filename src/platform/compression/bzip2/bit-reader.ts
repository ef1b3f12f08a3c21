/** Reads bits, the highest of each byte first. Past the end there are zeros, and `isPastEnd` tells. */
export class BitReader {
  readonly #bytes: Uint8Array
  /** In bits. */
  #at: number

  constructor(bytes: Uint8Array, bits: number) {
    this.#bytes = bytes
    this.#at = bits
  }

  get at(): number {
    return this.#at
  }

  get isPastEnd(): boolean {
    return this.#at > this.#bytes.length * 8
  }

  /** Up to 24 bits, without reading them. */
  peek(count: number): number {
    const byte = this.#at >>> 3
    const bytes = this.#bytes
    const word =
      ((bytes[byte] ?? 0) << 24) |
      ((bytes[byte + 1] ?? 0) << 16) |
      ((bytes[byte + 2] ?? 0) << 8) |
      (bytes[byte + 3] ?? 0)
    return (word << (this.#at & 7)) >>> (32 - count)
  }

  skip(count: number): void {
    this.#at += count
  }

  /** Up to 24 bits. */
  read(count: number): number {
    const value = this.peek(count)
    this.#at += count
    return value
  }

  readWord(): number {
    return this.read(16) * 0x10000 + this.read(16)
  }
}
