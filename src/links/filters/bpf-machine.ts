import { checkProgram, usesMemory } from './bpf-check.ts'
import {
  type BpfProgram,
  classArithmetic,
  classJump,
  classLoad,
  classLoadIndex,
  classMask,
  classReturn,
  classStore,
  classStoreIndex,
  divide,
  fromIndex,
  indexToAccumulator,
  instructionWords,
  jumpAlways,
  memoryWords,
  modeAbsolute,
  modeHeaderLength,
  modeIndirect,
  modeLength,
  modeMask,
  modeMemory,
  operationMask,
  remainder,
  returnAccumulator,
  sizeByte,
  sizeHalf,
  sizeMask,
} from './bpf-codes.ts'

/**
 * Runs one program over frames: an accumulator, an index register, 16 words of memory, jumps that only go forward.
 * Reading beyond a frame, or dividing by zero, means that it does not match.
 */
export class BpfMachine {
  readonly #code: Uint32Array
  readonly #memory = new Uint32Array(memoryWords)
  #accumulator = 0
  #index = 0
  #bytes: Uint8Array = new Uint8Array()
  #offset = 0
  #length = 0
  readonly #usesMemory: boolean

  /** Throws an Error when the program could leave its own bounds. */
  constructor(program: BpfProgram) {
    checkProgram(program)
    this.#code = Uint32Array.from(program)
    this.#usesMemory = program.some((code, at) => at % instructionWords === 0 && usesMemory(code))
  }

  matches(bytes: Uint8Array, offset: number, length: number): boolean {
    this.#bytes = bytes
    this.#offset = offset
    this.#length = length
    this.#accumulator = 0
    this.#index = 0
    if (this.#usesMemory) this.#memory.fill(0)
    return this.#run() !== 0
  }

  /** The last instruction returns, and no jump leads beyond it. */
  #run(): number {
    for (let at = 0; ; at += instructionWords) {
      const operation = this.#word(at)
      const kind = operation & classMask
      if (kind === classReturn) return this.#result(at)
      if (kind === classJump) at += this.#jump(at) * instructionWords
      else if (!this.#step(operation, this.#word(at + 3))) return 0
    }
  }

  #word(at: number): number {
    return this.#code[at] ?? 0
  }

  #result(at: number): number {
    return (this.#word(at) & sizeMask) === returnAccumulator ? this.#accumulator : this.#word(at + 3)
  }

  /** Does an instruction that is followed by the next one. Gives false when the frame cannot match. */
  #step(operation: number, k: number): boolean {
    switch (operation & classMask) {
      case classLoad:
        return this.#load(operation, k)
      case classLoadIndex:
        return this.#loadIndex(operation, k)
      case classStore:
        this.#memory[k] = this.#accumulator
        return true
      case classStoreIndex:
        this.#memory[k] = this.#index
        return true
      case classArithmetic:
        return this.#calculate(operation, (operation & fromIndex) === 0 ? k : this.#index)
      default:
        if ((operation & operationMask) === indexToAccumulator) this.#accumulator = this.#index
        else this.#index = this.#accumulator
        return true
    }
  }

  #load(operation: number, k: number): boolean {
    switch (operation & modeMask) {
      case modeAbsolute:
        return this.#loadBytes(operation & sizeMask, k)
      case modeIndirect:
        return this.#loadBytes(operation & sizeMask, k + this.#index)
      case modeMemory:
        this.#accumulator = this.#memory[k] ?? 0
        return true
      case modeLength:
        this.#accumulator = this.#length
        return true
      default:
        this.#accumulator = k
        return true
    }
  }

  #loadBytes(size: number, at: number): boolean {
    const count = sizeOf(size)
    if (at + count > this.#length) return false

    let value = 0
    for (let from = this.#offset + at; from < this.#offset + at + count; from += 1) {
      value = (value << 8) | (this.#bytes[from] ?? 0)
    }
    this.#accumulator = value >>> 0
    return true
  }

  #loadIndex(operation: number, k: number): boolean {
    switch (operation & modeMask) {
      case modeHeaderLength:
        if (k >= this.#length) return false
        this.#index = ((this.#bytes[this.#offset + k] ?? 0) & 0x0f) * 4
        return true
      case modeMemory:
        this.#index = this.#memory[k] ?? 0
        return true
      case modeLength:
        this.#index = this.#length
        return true
      default:
        this.#index = k
        return true
    }
  }

  #calculate(operation: number, value: number): boolean {
    const kind = operation & operationMask
    if (value === 0 && (kind === divide || kind === remainder)) return false
    this.#accumulator = calculate(kind, this.#accumulator, value) >>> 0
    return true
  }

  /** How many instructions the jump at `at` skips. */
  #jump(at: number): number {
    const operation = this.#word(at)
    const k = this.#word(at + 3)
    const kind = operation & operationMask
    if (kind === jumpAlways) return k
    const isTrue = compare(kind, this.#accumulator, (operation & fromIndex) === 0 ? k : this.#index)
    return this.#word(at + (isTrue ? 1 : 2))
  }
}

function calculate(kind: number, a: number, b: number): number {
  switch (kind) {
    case 0x00:
      return a + b
    case 0x10:
      return a - b
    case 0x20:
      return Math.imul(a, b)
    case divide:
      return Math.floor(a / b)
    case 0x40:
      return a | b
    case 0x50:
      return a & b
    case 0x60:
      return b < 32 ? a << b : 0
    case 0x70:
      return b < 32 ? a >>> b : 0
    case 0x80:
      return -a
    case remainder:
      return a % b
    default:
      return a ^ b
  }
}

function compare(kind: number, a: number, b: number): boolean {
  switch (kind) {
    case 0x10:
      return a === b
    case 0x20:
      return a > b
    case 0x30:
      return a >= b
    default:
      return (a & b) !== 0
  }
}

/** How many bytes a load of that size reads. */
function sizeOf(size: number): number {
  if (size === sizeByte) return 1
  return size === sizeHalf ? 2 : 4
}
