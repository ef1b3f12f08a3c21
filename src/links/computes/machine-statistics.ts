import { statfs } from 'node:fs/promises'
import { availableParallelism, loadavg } from 'node:os'
import type { MachineUsage } from '../../platform/machine-usage.ts'
import { readMemory } from '../../platform/memory.ts'

/** How busy this machine is, in the vocabulary of GNS3; the disk is that of the folder. */
export async function machineStatistics(usage: MachineUsage, folder: string): Promise<object> {
  const { totalBytes, availableBytes, swapTotalBytes, swapFreeBytes } = readMemory()
  const { cpuPercent, memoryPercent } = usage.read()
  return {
    memory_total: totalBytes,
    memory_free: availableBytes,
    memory_used: totalBytes - availableBytes,
    memory_usage_percent: memoryPercent,
    swap_total: swapTotalBytes,
    swap_free: swapFreeBytes,
    swap_used: swapTotalBytes - swapFreeBytes,
    swap_usage_percent: percent(swapTotalBytes - swapFreeBytes, swapTotalBytes),
    cpu_usage_percent: cpuPercent,
    load_average_percent: loadavg().map((load) => percent(load, availableParallelism())),
    disk_usage_percent: await diskPercent(folder),
  }
}

/** As `df` counts: of what users can have, not of what the file system keeps for itself. */
async function diskPercent(folder: string): Promise<number> {
  const { blocks, bfree, bavail } = await statfs(folder)
  const used = blocks - bfree
  return percent(used, used + bavail)
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10
}
