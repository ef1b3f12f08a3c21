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
  fromIndex,
  indexToAccumulator,
  instructionWords,
  jumpAlways,
  memoryWords,
  modeAbsolute,
  modeHeaderLength,
  modeImmediate,
  modeIndirect,
  modeLength,
  modeMask,
  modeMemory,
  operationMask,
  returnAccumulator,
  sizeByte,
  sizeHalf,
} from './bpf-codes.ts'

/** Offsets from here on mean facts of a network interface, not bytes of a frame (Linux's SKF_AD_OFF and below). */
const firstAncillary = 0x8000_0000

/** Throws when an instruction is unknown, jumps out of the program or backward, or names memory that is not there. */
export function checkProgram(program: BpfProgram): void {
  const count = program.length / instructionWords
  const last = program[program.length - instructionWords] ?? 0
  if (!Number.isInteger(count) || count === 0 || (last & classMask) !== classReturn) {
    throw new Error('the compiled filter has no end')
  }
  for (let index = 0; index < count; index += 1) {
    const [code = 0, jt = 0, jf = 0, k = 0] = program.slice(index * instructionWords, (index + 1) * instructionWords)
    checkInstruction({ code, k })
    // k has no sign here: a jump backward is one that is far too long.
    if (isJump(code) && index + 1 + jumpLength({ code, jt, jf, k }) >= count) {
      throw new Error('the filter needs a loop, which is not supported')
    }
  }
}

function isJump(code: number): boolean {
  return (code & classMask) === classJump
}

function jumpLength({ code, jt, jf, k }: Readonly<Record<'code' | 'jt' | 'jf' | 'k', number>>): number {
  return (code & operationMask) === jumpAlways ? k : Math.max(jt, jf)
}

function checkInstruction({ code, k }: Readonly<Record<'code' | 'k', number>>): void {
  if (!known.has(code)) throw new Error('the compiled filter holds an unknown instruction')
  if (usesMemory(code) && k >= memoryWords) throw new Error('the compiled filter leaves its memory')
  if (readsFrame(code) && k >= firstAncillary) {
    throw new Error('the filter asks for something that only a network interface knows')
  }
}

/** Whether an instruction names a word of memory. */
export function usesMemory(code: number): boolean {
  const kind = code & classMask
  if (kind === classStore || kind === classStoreIndex) return true
  return kind <= classLoadIndex && (code & modeMask) === modeMemory
}

function readsFrame(code: number): boolean {
  return (code & classMask) === classLoad && (code & modeMask) === modeAbsolute
}

/** Every instruction of bpf(4), and the remainder and exclusive or that libpcap also makes. */
const known: ReadonlySet<number> = new Set([
  ...[modeAbsolute, modeIndirect].flatMap((mode) => [0, sizeHalf, sizeByte].map((size) => classLoad | mode | size)),
  ...[modeImmediate, modeMemory, modeLength].flatMap((mode) => [classLoad | mode, classLoadIndex | mode]),
  classLoadIndex | modeHeaderLength | sizeByte,
  classStore,
  classStoreIndex,
  ...[0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x90, 0xa0].flatMap((operation) => [
    classArithmetic | operation,
    classArithmetic | operation | fromIndex,
  ]),
  classArithmetic | 0x80,
  classJump | jumpAlways,
  ...[0x10, 0x20, 0x30, 0x40].flatMap((operation) => [classJump | operation, classJump | operation | fromIndex]),
  classReturn,
  classReturn | returnAccumulator,
  0x07,
  0x07 | indexToAccumulator,
])
