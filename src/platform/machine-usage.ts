import { cpus } from 'node:os'
import { readMemory } from './memory.ts'

export interface Usage {
  readonly cpuPercent: number
  readonly memoryPercent: number
}

interface CpuTimes {
  readonly idleMs: number
  readonly totalMs: number
}

/** How busy this machine is: its processors since the last reading, its memory now. */
export class MachineUsage {
  #last = readCpuTimes()
  #lastPercent = 0

  read(): Usage {
    const now = readCpuTimes()
    const passedMs = now.totalMs - this.#last.totalMs
    if (passedMs > 0) {
      this.#lastPercent = round(100 * (1 - (now.idleMs - this.#last.idleMs) / passedMs))
      this.#last = now
    }
    const { availableBytes, totalBytes } = readMemory()
    return { cpuPercent: this.#lastPercent, memoryPercent: round(100 * (1 - availableBytes / totalBytes)) }
  }
}

function readCpuTimes(): CpuTimes {
  let idleMs = 0
  let totalMs = 0
  for (const { times } of cpus()) {
    idleMs += times.idle
    totalMs += times.user + times.nice + times.sys + times.idle + times.irq
  }
  return { idleMs, totalMs }
}

function round(percent: number): number {
  return Math.round(Math.min(100, Math.max(0, percent)) * 10) / 10
}
