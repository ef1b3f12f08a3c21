import { readFileSync } from 'node:fs'
import { pino } from 'pino'
import { DataPlane } from '../../src/links/dataplane/data-plane.ts'
import { parseFilters } from '../../src/links/filters/index.ts'
import { claim, note } from '../report.ts'
import { entryPort, exitPort, generatorPort, noRelay, type Relay, sinkPort } from './relays.ts'
import { measure } from './traffic.ts'

const delayMs = 10
/** Below the ports that are given out to whoever asks for any. */
const firstLocalPort = 20_000
const host = '127.0.0.1'

/** Two links with a switch between them. */
export async function switchRelay(): Promise<Relay> {
  const plane = new DataPlane({ logger: pino({ level: 'error' }) })
  const ports = [0, 1].map((number) => ({ number, type: 'access', vlan: 1, ethertype: 0x8100 }) as const)
  await plane.openBridge('switch', { kind: 'switch', ports }, 'bench')
  for (const [port, [local, peer]] of [
    [entryPort, generatorPort],
    [exitPort, sinkPort],
  ].entries()) {
    const linkId = `link ${port}`
    await plane.openLink(linkId, { filters: {}, suspended: false, group: 'bench' })
    await plane.attachPort(linkId, 0, udpPort(local, peer))
    await plane.attachPort(linkId, 1, { kind: 'bridge', bridgeId: 'switch', port })
  }
  return { pid: plane.pid, [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose]() }
}

function udpPort(local = 0, peer = 0) {
  return { kind: 'udp', local: { host, port: local }, peer: { host, port: peer } } as const
}

/** Links side by side, all from the generator to the sink. */
async function manyLinks(count: number, filters: unknown): Promise<Relay> {
  const plane = new DataPlane({ logger: pino({ level: 'error' }) })
  const entryPorts: number[] = []
  for (let index = 0; index < count; index += 1) {
    const linkId = `link ${index}`
    await plane.openLink(linkId, { filters: parseFilters(filters), suspended: false })
    for (const [end, port] of [generatorPort, sinkPort].entries()) {
      const udp = {
        kind: 'udp',
        local: { host, port: firstLocalPort + 2 * index + end },
        peer: { host, port },
      } as const
      const { local } = await plane.attachPort(linkId, end as 0 | 1, udp)
      if (end === 0) entryPorts.push(local?.port ?? 0)
    }
  }
  return { pid: plane.pid, entryPorts, [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose]() }
}

/** Whether many links delay as truly as one does. Of some rounds the one with the least error counts, and every loss. */
export async function manyDelays({ seconds, rounds }: { seconds: number; rounds: number }): Promise<void> {
  const links = 100
  note(
    `\n${links} links with 1,000 frames a second each, ${delayMs} ms delay, 512-byte frames; the best of ${rounds} rounds`,
  )
  const run = { sizeBytes: 512, seconds: seconds + 2, rate: links * 1000, stamps: true }
  await using direct = noRelay()
  const [, rawHalf = 0, , rawMost = 0] = (await measure(direct, run)).took
  note(`raw pair, as many frames: p50 ${rawHalf.toFixed(3)} ms, p99 ${rawMost.toFixed(3)} ms`)

  const errors: { half: number; most: number }[] = []
  let lost = 0
  let disordered = 0
  for (let round = 0; round < rounds; round += 1) {
    await using relay = await manyLinks(links, { delay: [delayMs] })
    const { sent, received, reordered, took, cpuMicroseconds } = await measure(relay, run)
    const [, half = 0, , most = 0] = took
    note(`  p50 ${half.toFixed(2)} ms, p99 ${most.toFixed(2)} ms, ${cpuMicroseconds.toFixed(2)} µs CPU per frame`)
    errors.push({ half: half - delayMs, most: most - delayMs })
    lost += sent - received
    disordered += reordered
  }
  claim('frames lost', lost, { atMost: 0 })
  claim('frames out of order', disordered, { atMost: 0 })
  claim('error p50, ms', Math.min(...errors.map(({ half }) => half)), { atMost: 0.2 })
  claim('error p99, ms', Math.min(...errors.map(({ most }) => most)), { atMost: 1 })
}

/** What the data plane's process takes of memory for many links. */
export async function manyMemory(seconds: number): Promise<void> {
  note("\nmemory of the data plane's process (PSS) after 10 frames a second on each link")
  const one = await memoryOf(1, seconds)
  const many = await memoryOf(500, seconds)
  claim('500 links, MB', many, { atMost: 200 })
  claim('each further link, kB', ((many - one) * 1024) / 499, { atMost: 200 })
}

async function memoryOf(links: number, seconds: number): Promise<number> {
  await using relay = await manyLinks(links, {})
  const { sent, received } = await measure(relay, { sizeBytes: 512, seconds, rate: links * 10 })
  const megabytes = pssMegabytes(relay.pid)
  note(`  ${links} link(s): ${megabytes.toFixed(0)} MB, ${received} of ${sent} frames`)
  return megabytes
}

/** The memory of a process, with its share of what it shares (proc_pid_smaps_rollup(5)). */
function pssMegabytes(pid: number | undefined): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? Number.NaN) / 1024
}
