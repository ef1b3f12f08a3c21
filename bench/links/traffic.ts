import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { GeneratorOptions } from './generator.ts'
import { cpuMs, entryPort, exitPort, generatorPort, type Relay, sinkPort } from './relays.ts'
import type { SinkOptions, SinkReport } from './sink.ts'

export interface Run {
  readonly sizeBytes: number
  readonly seconds: number
  /** Frames each second; 0 for as many as possible. */
  readonly rate: number
  readonly stamps?: boolean
}

export interface Measured extends SinkReport {
  readonly sent: number
  readonly perSecond: number
  /** CPU time of the relay for each frame delivered. */
  readonly cpuMicroseconds: number
}

/** Sends frames through a relay for some seconds; generator and sink are processes of their own. */
export async function measure(relay: Relay, { sizeBytes, seconds, rate, stamps = false }: Run): Promise<Measured> {
  const isDirect = relay.pid === undefined
  const { entryPorts } = relay
  const sinkOptions: SinkOptions = {
    localPort: sinkPort,
    ...(entryPorts === undefined ? { peerPort: isDirect ? generatorPort : exitPort } : {}),
    links: entryPorts?.length ?? 1,
    sizeBytes,
    stamps,
    warmUpMs: 1500,
  }
  const sink = start('sink', sinkOptions)
  await once(sink.stdout, 'readable')
  const cpuBefore = cpuMs(relay.pid)
  const generatorOptions: GeneratorOptions = {
    localPort: generatorPort,
    ports: entryPorts ?? [isDirect ? sinkPort : entryPort],
    sizeBytes,
    seconds,
    rate,
  }
  const [generated, seen] = await Promise.all([text(start('generator', generatorOptions).stdout), text(sink.stdout)])
  const cpu = cpuMs(relay.pid) - cpuBefore

  const { sent } = JSON.parse(generated) as { sent: number }
  const report = JSON.parse(seen.slice(seen.indexOf('{'))) as SinkReport
  const perSecond = (report.received / (report.lastMs - report.firstMs)) * 1000
  return { ...report, sent, perSecond, cpuMicroseconds: (cpu / report.received) * 1000 }
}

function start(program: string, options: unknown): ChildProcessByStdio<null, Readable, null> {
  const arguments_ = [join(import.meta.dirname, `${program}.ts`), JSON.stringify(options)]
  return spawn(process.execPath, arguments_, { stdio: ['ignore', 'pipe', 'inherit'] })
}
