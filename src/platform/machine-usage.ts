import { readFileSync } from 'node:fs'
import { cpus, freemem, totalmem } from 'node:os'

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
    return { cpuPercent: this.#lastPercent, memoryPercent: round(100 * (1 - availableBytes() / totalmem())) }
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

/** What programs can still have, the page cache included (proc(5), `MemAvailable`); elsewhere what is free. */
function availableBytes(): number {
  try {
    const [, kibibytes] = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? []
    return kibibytes === undefined ? freemem() : Number(kibibytes) * 1024
  } catch {
    return freemem()
  }
}

function round(percent: number): number {
  return Math.round(Math.min(100, Math.max(0, percent)) * 10) / 10
}
