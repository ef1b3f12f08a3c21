import { existsSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { interfaceTimes } from './links/interface.ts'
import { manyDelays, manyMemory, switchRelay } from './links/many.ts'
import { renoThroughLoss } from './links/mathis.ts'
import { noRelay, ownRelay, type Relay, socatRelay } from './links/relays.ts'
import { tcp } from './links/tcp.ts'
import { type Measured, measure } from './links/traffic.ts'
import { claim, finish, note, thousands } from './report.ts'

/**
 * What the data plane promises, measured on this machine against its peers in the same run: a raw pair of sockets
 * without any relay, and socat. Frames go one way over one link.
 */
const seconds = Number(process.env['BENCH_SECONDS'] ?? 2)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3)
const memoryFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const captureFile = join(memoryFolder, 'backhaul-bench.pcap')

type OpenRelay = () => Promise<Relay>

/** Runs all of them in turn, some rounds long, and gives the best run of each: other work on the machine only slows. */
async function inTurn<Name extends string>(
  sizeBytes: number,
  relays: Readonly<Record<Name, OpenRelay>>,
): Promise<Record<Name, Measured>> {
  const best = new Map<string, Measured>()
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, open] of Object.entries<OpenRelay>(relays)) {
      await using relay = await open()
      const run = await measure(relay, { sizeBytes, seconds, rate: 0 })
      if (relay.hasFailed?.() === true) note(`  a run of "${name}" does not count: the capture ended by itself`)
      else if (run.perSecond > (best.get(name)?.perSecond ?? 0)) best.set(name, run)
    }
  }
  for (const name of Object.keys(relays)) if (!best.has(name)) throw new Error(`No run of "${name}" counts`)
  return Object.fromEntries(best) as Record<Name, Measured>
}

async function throughput(sizeBytes: number): Promise<void> {
  note(`\n${sizeBytes}-byte frames, as fast as they go; the best of ${rounds} rounds`)
  const { raw, socat, own, capture, loss, bpf, bridge } = await inTurn(sizeBytes, {
    raw: async () => noRelay(),
    socat: socatRelay,
    own: () => ownRelay(),
    capture: () => ownRelay({}, { path: captureFile }),
    loss: () => ownRelay({ packet_loss: [0.001] }),
    bpf: () => ownRelay({ bpf: ['icmp or tcp port 80'] }),
    bridge: switchRelay,
  })

  for (const [name, run] of Object.entries({ raw, socat, own, capture, loss, bpf, bridge })) {
    const cpu = name === 'raw' ? '' : `${run.cpuMicroseconds.toFixed(2)} µs CPU per frame`
    note(`  ${name.padEnd(10)} ${thousands(run.perSecond)}  ${cpu}`)
  }
  claim('rate, of the raw pair', own.perSecond / raw.perSecond, { atLeast: 0.45 })
  claim('rate, of socat', own.perSecond / socat.perSecond, { atLeast: 2.5 })
  claim('CPU per frame, of socat', own.cpuMicroseconds / socat.cpuMicroseconds, { atMost: 0.5 })
  claim(`with a capture to ${memoryFolder}, of own rate`, capture.perSecond / own.perSecond, { atLeast: 0.7 })
  claim('with packet_loss 0.001 %, of own rate', loss.perSecond / own.perSecond, { atLeast: 0.9 })
  claim('with bpf "icmp or tcp port 80", of own rate', bpf.perSecond / own.perSecond, { atLeast: 0.6 })
  claim('two links with a switch between, of own rate', bridge.perSecond / own.perSecond, { atLeast: 0.6 })
}

/** Fills fresh memory once, as a virtual machine gets it from its host only then, and tells how fast a file grows. */
async function warmUp(): Promise<void> {
  const block = Buffer.alloc(1024 * 1024)
  const megabytes = 1500
  let seconds = Infinity
  for (let round = 0; round < 2; round += 1) {
    const start = performance.now()
    await using file = await open(captureFile, 'w')
    for (let count = 0; count < megabytes; count += 1) await file.write(block)
    seconds = (performance.now() - start) / 1000
  }
  await rm(captureFile)
  note(`writing a file in ${memoryFolder}, the limit of captures: ${Math.round(megabytes / seconds)} MB/s`)
}

async function losses(): Promise<void> {
  note('\n200,000 frames a second')
  for (const sizeBytes of [128, 1400]) {
    await using relay = await ownRelay()
    const { sent, received, cpuMicroseconds } = await measure(relay, { sizeBytes, seconds, rate: 200_000 })
    note(`${sizeBytes} bytes: ${received} of ${sent}, ${cpuMicroseconds.toFixed(2)} µs CPU per frame`)
    claim(`${sizeBytes}-byte frames lost`, sent - received, { atMost: 0 })
  }
}

async function delays(): Promise<void> {
  note('\n10 ms delay, 512-byte frames, 50,000 a second (times after 1.5 s, when all programs are compiled)')
  await using direct = noRelay()
  const run = { sizeBytes: 512, seconds: seconds + 2, rate: 50_000, stamps: true }
  const [, rawHalf = 0, , rawMost = 0] = (await measure(direct, run)).took
  note(`raw pair: p50 ${rawHalf.toFixed(3)} ms, p99 ${rawMost.toFixed(3)} ms`)
  await using relay = await ownRelay({ delay: [10] })
  const { sent, received, reordered, took } = await measure(relay, run)
  const [, half = 0, , most = 0] = took
  claim('frames lost', sent - received, { atMost: 0 })
  claim('frames out of order', reordered, { atMost: 0 })
  claim('error p50, ms', half - 10, { atMost: 0.2 })
  claim('error p99, ms', most - 10, { atMost: 1 })
}

async function changes(): Promise<void> {
  note('\nsetting filters, while 50,000 frames a second pass')
  await using relay = await ownRelay()
  const traffic = measure(relay, { sizeBytes: 512, seconds, rate: 50_000 })
  const times: number[] = []
  const isDone = traffic.then(() => true)
  while (!(await Promise.race([isDone, false]))) {
    const start = performance.now()
    await relay.plane.setFilters('bench', { delay: [1 + (times.length % 5)] })
    times.push(performance.now() - start)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const { sent, received, reordered } = await traffic
  times.sort((a, b) => a - b)
  const at = (part: number) => times[Math.floor(times.length * part)] ?? 0
  claim(`in force after, ms, p50 of ${times.length}`, at(0.5), { atMost: 5 })
  claim('in force after, ms, p90', at(0.9), { atMost: 5 })
  claim('frames lost', sent - received, { atMost: 0 })
  claim('frames out of order', reordered, { atMost: 0 })
}

note(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, ${seconds} s for each run`)
try {
  await warmUp()
  await throughput(128)
  await throughput(1400)
  await losses()
  await delays()
  await changes()
  await manyDelays({ seconds, rounds })
  await manyMemory(seconds)
  await tcp({ seconds, rounds })
  await renoThroughLoss(7 * seconds)
  await interfaceTimes()
} finally {
  await rm(captureFile, { force: true })
}
finish()
