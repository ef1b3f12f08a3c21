import { createRequire } from 'node:module'
import type { BpfProgram } from './bpf-codes.ts'

/** Compiles one expression of pcap-filter(7) for Ethernet frames. Throws an Error with the compiler's own words. */
export type BpfCompiler = (expression: string) => BpfProgram

const soName = 'libpcap.so.0.8'
const linkTypeEthernet = 1
const snapLength = 65_535
const netmaskUnknown = 0xffff_ffff
const instructionBytes = 8

let loaded: BpfCompiler | undefined

/** The compiler of the system's libpcap, loaded at the first call; undefined where there is none. */
export function loadLibpcap(): BpfCompiler | undefined {
  loaded ??= bindLibpcap()
  return loaded
}

function bindLibpcap(): BpfCompiler | undefined {
  // Loaded on demand: a server whose links use no such filter spares the memory.
  const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi')
  try {
    const library = koffi.load(soName)
    const openDead = library.func('void *pcap_open_dead(int, int)')
    const compile = library.func('int pcap_compile(void *, void *, str, int, unsigned int)')
    const lastError = library.func('str pcap_geterr(void *)')
    const freeCode = library.func('void pcap_freecode(void *)')
    const close = library.func('void pcap_close(void *)')

    return (expression) => {
      const handle: unknown = openDead(linkTypeEthernet, snapLength)
      // struct bpf_program: the number of instructions, and where they are.
      const program = Buffer.alloc(16)
      try {
        if (compile(handle, program, expression, 1, netmaskUnknown) < 0) throw new Error(lastError(handle))
        const count = program.readUInt32LE(0)
        const code = decode(Buffer.from(koffi.view(program.readBigUInt64LE(8), count * instructionBytes)))
        freeCode(program)
        return code
      } finally {
        close(handle)
      }
    }
  } catch {
    return undefined
  }
}

/** `struct bpf_insn`: code (16 bits), jt, jf (8 bits each), k (32 bits). */
function decode(instructions: Buffer): BpfProgram {
  const program: number[] = []
  for (let at = 0; at < instructions.length; at += instructionBytes) {
    const [jt = 0, jf = 0] = instructions.subarray(at + 2)
    program.push(instructions.readUInt16LE(at), jt, jf, instructions.readUInt32LE(at + 4))
  }
  return program
}
