import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { type CaptureOptions, DataPlane, type PortSpec } from '../../src/links/dataplane/data-plane.ts'
import { parseFilters } from '../../src/links/filters/index.ts'

/** The ports of a run: generator -> entry, exit -> sink. Without a relay the generator sends to the sink itself. */
export const generatorPort = 41_000
export const entryPort = 41_001
export const exitPort = 41_002
export const sinkPort = 41_003

/** Something between the generator and the sink. */
export interface Relay extends AsyncDisposable {
  readonly pid: number | undefined
  /** Where it takes frames, when there are more links than one. */
  readonly entryPorts?: readonly number[]
  /** Whether it gave up something that was asked of it. */
  readonly hasFailed?: () => boolean
}

export function noRelay(): Relay {
  return { pid: undefined, [Symbol.asyncDispose]: async () => undefined }
}

export async function socatRelay(): Promise<Relay> {
  const from = `UDP4-DATAGRAM:127.0.0.1:${generatorPort},bind=127.0.0.1:${entryPort}`
  const to = `UDP4-DATAGRAM:127.0.0.1:${sinkPort},bind=127.0.0.1:${exitPort}`
  const child: ChildProcess = spawn('socat', ['-b', '65536', from, to], { stdio: 'ignore' })
  await sleep(300)
  return { pid: child.pid, [Symbol.asyncDispose]: async () => void child.kill('SIGKILL') }
}

type OwnRelay = Relay & { readonly plane: DataPlane }

/** A link between the generator's and the sink's ports. */
export function ownRelay(filters: unknown = {}, capture?: CaptureOptions): Promise<OwnRelay> {
  return openLinkRelay([udpPort(entryPort, generatorPort), udpPort(exitPort, sinkPort)], filters, capture)
}

/** A link between two ports, on a data plane of its own. */
export async function openLinkRelay(
  ports: readonly [PortSpec, PortSpec],
  filters: unknown,
  capture?: CaptureOptions,
): Promise<OwnRelay> {
  let hasFailed = false
  const onCaptureFailed = () => {
    hasFailed = true
  }
  const plane = new DataPlane({ logger: pino({ level: 'error' }), onCaptureFailed })
  await plane.openLink('bench', { filters: parseFilters(filters), suspended: false })
  await plane.attachPort('bench', 0, ports[0])
  await plane.attachPort('bench', 1, ports[1])
  if (capture !== undefined) await plane.startCapture('bench', 'bench', capture)
  return {
    plane,
    pid: plane.pid,
    hasFailed: () => hasFailed,
    [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose](),
  }
}

function udpPort(local: number, peer: number): PortSpec {
  return { kind: 'udp', local: { host: '127.0.0.1', port: local }, peer: { host: '127.0.0.1', port: peer } }
}

const ticksPerSecond = 100

/** The CPU time that a process has used, in ms (proc_pid_stat(5), utime and stime). */
export function cpuMs(pid: number | undefined): number {
  if (pid === undefined) return 0
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
}
