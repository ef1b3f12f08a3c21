import { readFileSync } from 'node:fs'
import { freemem, totalmem } from 'node:os'

export interface Memory {
  readonly totalBytes: number
  /** What programs can still have, the page cache included. */
  readonly availableBytes: number
  readonly swapTotalBytes: number
  readonly swapFreeBytes: number
}

/** The memory of this machine (proc(5), `/proc/meminfo`); elsewhere without its swap, and the page cache is not free. */
export function readMemory(): Memory {
  const lines = readLines()
  const bytes = (name: string) => {
    const [, kibibytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(lines) ?? []
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
  }
  return {
    totalBytes: totalmem(),
    availableBytes: bytes('MemAvailable') ?? freemem(),
    swapTotalBytes: bytes('SwapTotal') ?? 0,
    swapFreeBytes: bytes('SwapFree') ?? 0,
  }
}

function readLines(): string {
  try {
    return readFileSync('/proc/meminfo', 'utf8')
  } catch {
    return ''
  }
}
