import koffi from 'koffi'

const twoTo32 = 2 ** 32

/**
 * Memory that both JavaScript and the kernel use. The address is kept as two 32-bit halves, because that is how it is
 * written into the kernel's structures without making a bigint per frame. The memory lives as long as this object.
 */
export class Region {
  readonly bytes: Buffer
  readonly words: Uint32Array
  readonly address: bigint
  readonly addressLow: number
  readonly addressHigh: number

  constructor(sizeBytes: number) {
    const memory = new ArrayBuffer(sizeBytes)
    this.bytes = Buffer.from(memory)
    this.words = new Uint32Array(memory, 0, sizeBytes >> 2)
    this.address = BigInt(koffi.address(this.bytes))
    this.addressLow = Number(this.address & 0xffffffffn)
    this.addressHigh = Number(this.address >> 32n)
  }

  /** Writes the address of this region's byte `offset` into two words of `target`, low half first. */
  writeAddress(offset: number, target: Uint32Array, word: number): void {
    const low = this.addressLow + offset
    target[word] = low
    target[word + 1] = low >= twoTo32 ? this.addressHigh + 1 : this.addressHigh
  }
}
