/** Probabilities have 11 bits and begin in the middle. */
const evenProbability = 1024

/** A set of probabilities that all begin even. */
export function evenProbabilities(count: number): Uint16Array {
  return new Uint16Array(count).fill(evenProbability)
}

/** Takes bits out of a piece of LZMA, each with the probability that it has by then. Reading past the end gives zeros. */
export class RangeDecoder {
  #bytes: Uint8Array = new Uint8Array(0)
  #at = 0
  #range = 0
  #code = 0

  /** Begins with a piece; false when its first byte is wrong. */
  begin(bytes: Uint8Array): boolean {
    this.#bytes = bytes
    this.#at = 5
    this.#range = 0xffffffff
    this.#code = 0
    for (let at = 1; at < 5; at++) this.#code = ((this.#code << 8) | (bytes[at] as number)) >>> 0
    return bytes[0] === 0
  }

  /** Whether the piece was read to its end, not more and not less. */
  isAtEnd(): boolean {
    this.#normalize()
    return this.#at === this.#bytes.length && this.#code === 0
  }

  #normalize(): void {
    if (this.#range >= 0x1000000) return
    this.#range = (this.#range << 8) >>> 0
    this.#code = ((this.#code << 8) | (this.#at < this.#bytes.length ? (this.#bytes[this.#at] as number) : 0)) >>> 0
    this.#at++
  }

  bit(probabilities: Uint16Array, index: number): number {
    this.#normalize()
    const probability = probabilities[index] as number
    const bound = (this.#range >>> 11) * probability
    if (this.#code < bound) {
      this.#range = bound
      probabilities[index] = probability + ((2048 - probability) >>> 5)
      return 0
    }
    this.#range -= bound
    this.#code -= bound
    probabilities[index] = probability - (probability >>> 5)
    return 1
  }

  /** A number of so many bits, the highest first, from the tree that begins at `offset`. */
  tree(probabilities: Uint16Array, offset: number, bits: number): number {
    let node = 1
    for (let bit = 0; bit < bits; bit++) node = (node << 1) | this.bit(probabilities, offset + node)
    return node - (1 << bits)
  }

  /** The same, the lowest bit first. */
  reverseTree(probabilities: Uint16Array, offset: number, bits: number): number {
    let node = 1
    let value = 0
    for (let bit = 0; bit < bits; bit++) {
      const next = this.bit(probabilities, offset + node)
      node = (node << 1) | next
      value |= next << bit
    }
    return value
  }

  /** Bits that are as likely 0 as 1. */
  direct(bits: number): number {
    let value = 0
    for (let bit = 0; bit < bits; bit++) {
      this.#normalize()
      this.#range >>>= 1
      const isOne = this.#code >= this.#range
      if (isOne) this.#code -= this.#range
      value = (value << 1) | (isOne ? 1 : 0)
    }
    return value
  }
}
