import type { LzmaWindow } from './lzma-window.ts'
import { evenProbabilities, RangeDecoder } from './range-decoder.ts'

const states = 12
const positionStates = 16

/** How long matches are: a choice of three ranges. */
class LengthDecoder {
  readonly #choices = evenProbabilities(2)
  readonly #low = evenProbabilities(positionStates << 3)
  readonly #middle = evenProbabilities(positionStates << 3)
  readonly #high = evenProbabilities(256)

  decode(range: RangeDecoder, positionState: number): number {
    if (range.bit(this.#choices, 0) === 0) return 2 + range.tree(this.#low, positionState << 3, 3)
    if (range.bit(this.#choices, 1) === 0) return 10 + range.tree(this.#middle, positionState << 3, 3)
    return 18 + range.tree(this.#high, 0, 8)
  }
}

/** Everything that a piece of LZMA learns of the ones before it. */
class Model {
  state = 0
  rep0 = 0
  rep1 = 0
  rep2 = 0
  rep3 = 0
  readonly isMatch = evenProbabilities(states * positionStates)
  readonly isRep = evenProbabilities(states)
  readonly isRep0 = evenProbabilities(states)
  readonly isRep1 = evenProbabilities(states)
  readonly isRep2 = evenProbabilities(states)
  readonly isRep0Long = evenProbabilities(states * positionStates)
  readonly slots = evenProbabilities(4 << 6)
  readonly middleDistances = evenProbabilities(128)
  readonly lowDistances = evenProbabilities(16)
  readonly lengths = new LengthDecoder()
  readonly repLengths = new LengthDecoder()
  readonly literals: Uint16Array

  constructor(literalBits: number) {
    this.literals = evenProbabilities(0x300 << literalBits)
  }
}

/** Opens pieces of LZMA, as LZMA2 has them. */
export class LzmaDecoder {
  readonly #window: LzmaWindow
  readonly #range = new RangeDecoder()
  #contextBits = 0
  #literalMask = 0
  #positionMask = 0
  #literalBits = 0
  #model = new Model(0)

  constructor(window: LzmaWindow) {
    this.#window = window
  }

  /** Takes the byte of properties of a piece; false when it is none. */
  setProperties(properties: number): boolean {
    const contextBits = properties % 9
    const rest = Math.floor(properties / 9)
    const literalPositionBits = rest % 5
    if (properties >= 225 || contextBits + literalPositionBits > 4) return false
    this.#contextBits = contextBits
    this.#literalMask = (1 << literalPositionBits) - 1
    this.#literalBits = contextBits + literalPositionBits
    this.#positionMask = (1 << Math.floor(rest / 5)) - 1
    return true
  }

  resetState(): void {
    this.#model = new Model(this.#literalBits)
  }

  /** Adds what is in a piece to the window: exactly so many bytes. False when the piece is broken. */
  decode(piece: Uint8Array, sizeBytes: number): boolean {
    const range = this.#range
    const model = this.#model
    const window = this.#window
    const end = window.at + sizeBytes
    if (!range.begin(piece)) return false
    while (window.at < end) {
      const positionState = (window.at - window.begin) & this.#positionMask
      if (range.bit(model.isMatch, (model.state << 4) + positionState) === 0) this.#addLiteral()
      else if (!this.#addMatch(positionState, end)) return false
    }
    return range.isAtEnd()
  }

  #addLiteral(): void {
    const model = this.#model
    const window = this.#window
    const position = (window.at - window.begin) & this.#literalMask
    const previous = window.at > window.begin ? (window.bytes[window.at - 1] as number) : 0
    const offset = 0x300 * ((position << this.#contextBits) + (previous >> (8 - this.#contextBits)))
    window.bytes[window.at] = model.state < 7 ? this.#plainLiteral(offset) : this.#matchedLiteral(offset)
    window.at++
    if (model.state < 4) model.state = 0
    else model.state -= model.state < 10 ? 3 : 6
  }

  #plainLiteral(offset: number): number {
    const { literals } = this.#model
    let symbol = 1
    while (symbol < 0x100) symbol = (symbol << 1) | this.#range.bit(literals, offset + symbol)
    return symbol & 0xff
  }

  /** After a match the byte that would have gone on with it tells something of this one. */
  #matchedLiteral(offset: number): number {
    const { literals, rep0 } = this.#model
    let expected = this.#window.bytes[this.#window.at - rep0 - 1] as number
    let symbol = 1
    while (symbol < 0x100) {
      const expectedBit = (expected >> 7) & 1
      expected <<= 1
      const bit = this.#range.bit(literals, offset + ((1 + expectedBit) << 8) + symbol)
      symbol = (symbol << 1) | bit
      if (bit !== expectedBit) break
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.#range.bit(literals, offset + symbol)
    return symbol & 0xff
  }

  #addMatch(positionState: number, end: number): boolean {
    const model = this.#model
    const isRep = this.#range.bit(model.isRep, model.state) === 1
    const length = isRep ? this.#repeatedMatch(positionState) : this.#newMatch(positionState)
    if (length > end - this.#window.at) return false
    return this.#window.repeat(model.rep0 + 1, length)
  }

  #newMatch(positionState: number): number {
    const model = this.#model
    model.rep3 = model.rep2
    model.rep2 = model.rep1
    model.rep1 = model.rep0
    const length = model.lengths.decode(this.#range, positionState)
    model.rep0 = this.#distance(length)
    model.state = model.state < 7 ? 7 : 10
    return length
  }

  #distance(length: number): number {
    const model = this.#model
    const slot = this.#range.tree(model.slots, Math.min(length - 2, 3) << 6, 6)
    if (slot < 4) return slot
    const bits = (slot >> 1) - 1
    const base = (2 | (slot & 1)) * 2 ** bits
    if (slot < 14) return base + this.#range.reverseTree(model.middleDistances, base - slot, bits)
    const high = this.#range.direct(bits - 4) * 16
    return base + high + this.#range.reverseTree(model.lowDistances, 0, 4)
  }

  #repeatedMatch(positionState: number): number {
    const model = this.#model
    const isShort = this.#chooseRepeated(positionState)
    const before = model.state
    model.state = before < 7 ? (isShort ? 9 : 8) : 11
    return isShort ? 1 : model.repLengths.decode(this.#range, positionState)
  }

  /** Brings the distance that is meant to the front; true when only one byte is repeated. */
  #chooseRepeated(positionState: number): boolean {
    const model = this.#model
    const { state } = model
    if (this.#range.bit(model.isRep0, state) === 0) {
      return this.#range.bit(model.isRep0Long, (state << 4) + positionState) === 0
    }
    let chosen = model.rep1
    if (this.#range.bit(model.isRep1, state) === 1) {
      chosen = model.rep2
      if (this.#range.bit(model.isRep2, state) === 1) {
        chosen = model.rep3
        model.rep3 = model.rep2
      }
      model.rep2 = model.rep1
    }
    model.rep1 = model.rep0
    model.rep0 = chosen
    return false
  }
}
