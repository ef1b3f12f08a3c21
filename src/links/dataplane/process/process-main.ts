import { messageOf } from '../../../platform/errors.ts'
import { loadLibc } from '../../../platform/native/libc.ts'
import { answer, type Call, type CallSet } from '../call-table.ts'
import type { PlaneCalls, PlaneEvent, PlaneStart } from '../protocol.ts'
import { Plane } from './plane.ts'

const setParentDeathSignal = 1
const signalKill = 9
const shutDownMs = 1000

/** The entry of the data plane's process, which is driven by messages of the server that started it. */
function main(): void {
  const start = JSON.parse(process.argv[2] ?? '') as PlaneStart
  const libc = loadLibc()
  libc.prctl(setParentDeathSignal, signalKill, 0, 0, 0)
  if (process.ppid !== start.parentPid) endNow()

  // A signal to the whole group (a terminal's, a supervisor's) is for the server, which ends us when it is ready.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

  const emit = (event: PlaneEvent) => void process.send?.(event)
  const plane = new Plane({ ...start, libc, emit, onBroken: crash })
  process.on('disconnect', () => void endSoon(plane))
  process.on('message', (call: Call) => void obey(plane, call))
  emit({ event: 'ready' })
}

async function obey(plane: Plane, call: Call): Promise<void> {
  const reply = await answer(planeCalls(plane), call)
  if (process.connected) process.send?.(reply)
}

function planeCalls(plane: Plane): PlaneCalls & CallSet {
  return {
    openLink: (parameters) => plane.openLink(parameters),
    closeLink: (parameters) => plane.closeLink(parameters),
    attachPort: (parameters) => plane.attachPort(parameters),
    detachPort: (parameters) => plane.detachPort(parameters),
    setFilters: (parameters) => plane.setFilters(parameters),
    setSuspended: (parameters) => plane.setSuspended(parameters),
    startCapture: (parameters) => plane.startCapture(parameters),
    stopCapture: (parameters) => plane.stopCapture(parameters),
    statistics: (parameters) => plane.statistics(parameters),
    totals: () => plane.totals(),
    openBridge: (parameters) => plane.openBridge(parameters),
    closeBridge: (parameters) => plane.closeBridge(parameters),
    bridgeStatistics: (parameters) => plane.bridgeStatistics(parameters),
    macTable: (parameters) => plane.macTable(parameters),
    shutDown: () => plane.shutDown(),
  }
}

/** The server is gone: what was captured is written, as far as that takes no time. */
async function endSoon(plane: Plane): Promise<void> {
  setTimeout(endNow, shutDownMs)
  await plane.shutDown().catch(() => undefined)
  endNow()
}

function crash(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : messageOf(error)}\n`, endNow)
}

/** Exiting the usual way would wait for threads that wait for frames. */
function endNow(): void {
  process.kill(process.pid, 'SIGKILL')
}

main()
