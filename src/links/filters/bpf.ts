import { BpfMachine } from './bpf-machine.ts'
import { findForeignName } from './bpf-names.ts'
import { drop, type FilterKind, type FilterSettings, pass } from './filter-kind.ts'
import { type BpfCompiler, loadLibpcap } from './libpcap.ts'

/** The compiler's time grows much faster than the text: one line of this length takes some 10 ms at worst. */
const longestLine = 512
const longestText = 4096

/** The filter, with what finds the compiler. */
export function bpfKind(loadCompiler: () => BpfCompiler | undefined): FilterKind {
  return {
    type: 'bpf',
    name: 'Berkeley Packet Filter (BPF)',
    description: 'Drops each frame that matches an expression in the language of tcpdump. One expression on each line.',
    parameters: [{ name: 'Filters', type: 'text' }],

    missing: () => (loadCompiler() === undefined ? 'it needs libpcap (on Debian the package libpcap0.8)' : undefined),

    prepare([text = '']) {
      const compile = loadCompiler()
      if (compile === undefined) throw new Error('libpcap is missing')
      if (String(text).length > longestText) throw new Error(`it is longer than ${longestText} characters`)
      return expressionsIn(String(text)).flatMap((expression) => toSettings(compile, expression))
    },

    create(settings) {
      const machines = toPrograms(settings).map((program) => new BpfMachine(program))
      return {
        judge(bytes, offset, length) {
          for (let index = 0; index < machines.length; index += 1) {
            if (machines[index]?.matches(bytes, offset, length) === true) return drop
          }
          return pass
        },
      }
    },
  }
}

export const bpf: FilterKind = bpfKind(loadLibpcap)

function expressionsIn(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** One program in the settings: its length, then its numbers. */
function toSettings(compile: BpfCompiler, expression: string): FilterSettings {
  const foreign = findForeignName(expression)
  if (expression.length > longestLine) throw new Error(`a line is longer than ${longestLine} characters`)
  if (foreign !== undefined) {
    throw new Error(`"${foreign}" in "${expression}" is no keyword, and names are not looked up: give an address`)
  }

  try {
    const program = compile(expression)
    new BpfMachine(program)
    return [program.length, ...program]
  } catch (error) {
    throw new Error(`"${expression}": ${error instanceof Error ? error.message : error}`, { cause: error })
  }
}

function toPrograms(settings: FilterSettings): number[][] {
  const programs: number[][] = []
  for (let at = 0; at < settings.length; ) {
    const end = at + 1 + (settings[at] ?? 0)
    programs.push(settings.slice(at + 1, end))
    at = end
  }
  return programs
}
