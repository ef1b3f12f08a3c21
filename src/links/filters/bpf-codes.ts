/** Parts of an instruction's code in the classic BPF machine (bpf(4), "FILTER MACHINE"). */

/** A program: four numbers for each instruction, which are its code, jt, jf and k. */
export type BpfProgram = readonly number[]

export const instructionWords = 4
export const memoryWords = 16

export const classMask = 0x07
export const classLoad = 0x00
export const classLoadIndex = 0x01
export const classStore = 0x02
export const classStoreIndex = 0x03
export const classArithmetic = 0x04
export const classJump = 0x05
export const classReturn = 0x06

export const modeMask = 0xe0
export const modeImmediate = 0x00
export const modeAbsolute = 0x20
export const modeIndirect = 0x40
export const modeMemory = 0x60
export const modeLength = 0x80
export const modeHeaderLength = 0xa0

export const sizeMask = 0x18
export const sizeHalf = 0x08
export const sizeByte = 0x10

export const operationMask = 0xf0
export const fromIndex = 0x08
export const jumpAlways = 0x00
export const returnAccumulator = 0x10
export const indexToAccumulator = 0x80

export const divide = 0x30
export const remainder = 0x90
