import { loadLibc } from '../../src/platform/native/libc.ts'
import { Region } from '../../src/platform/native/region.ts'
import { Batch, batchFrames } from './batch.ts'
import { linkAt, numberAt, stampAt } from './frame.ts'
import { monotonicClock } from './monotonic.ts'
import { openSocket } from './open-socket.ts'

/** Takes frames until none come for a while. Takes its options as JSON, prints "ready", then what it saw. */
export interface SinkOptions {
  readonly localPort: number
  /** Absent: frames of all links are taken. */
  readonly peerPort?: number
  readonly links: number
  readonly sizeBytes: number
  /** Whether to keep the time that each frame took. */
  readonly stamps: boolean
  /** Times are kept from then on: all programs are compiled while they run first. */
  readonly warmUpMs: number
}

export interface SinkReport {
  readonly received: number
  /** Frames whose number was lower than one before of the same link. */
  readonly reordered: number
  readonly firstMs: number
  readonly lastMs: number
  /** How long frames took, in ms, at the 1st, 50th, 90th, 99th percentile and the worst. */
  readonly took: readonly number[]
}

const pollIn = 1
const idleSeconds = 1
const maxStamps = 4_000_000

function run({ localPort, peerPort, links, sizeBytes, stamps, warmUpMs }: SinkOptions): SinkReport {
  const libc = loadLibc()
  const now = monotonicClock(libc)
  const fd = openSocket(libc, localPort, peerPort)
  process.stdout.write('ready\n')

  const poll = new Region(16)
  poll.words.set([fd, pollIn])
  const patience = new Region(16)
  patience.words[0] = 10
  const batch = new Batch(sizeBytes)
  const bytes = batch.frames.bytes
  const times = new Float64Array(stamps ? maxStamps : 0)
  let timed = 0
  let received = 0
  let reordered = 0
  const highest = new Int32Array(links).fill(-1)
  let firstMs = 0
  let lastMs = 0
  while (libc.ppoll(poll.address, 1, patience.address, null) > 0) {
    const count = libc.recvmmsg(fd, batch.messages.address, batchFrames, 0x40, null)
    if (count <= 0) continue
    lastMs = now()
    if (received === 0) {
      firstMs = lastMs
      patience.words[0] = idleSeconds
    }
    for (let index = 0; index < count; index += 1) {
      const number = bytes.readUInt32LE(index * sizeBytes + numberAt)
      const link = bytes.readUInt16LE(index * sizeBytes + linkAt)
      if (number < (highest[link] ?? 0)) reordered += 1
      else highest[link] = number
      if (lastMs - firstMs < warmUpMs || timed >= times.length) continue
      times[timed] = lastMs - bytes.readDoubleLE(index * sizeBytes + stampAt)
      timed += 1
    }
    received += count
  }
  return { received, reordered, firstMs, lastMs, took: percentiles(times.subarray(0, timed)) }
}

function percentiles(times: Float64Array): number[] {
  times.sort()
  return [0.01, 0.5, 0.9, 0.99, 1].map(
    (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0,
  )
}

console.log(JSON.stringify(run(JSON.parse(process.argv[2] ?? '') as SinkOptions)))
