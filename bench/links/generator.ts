import { loadLibc } from '../../src/platform/native/libc.ts'
import { Region } from '../../src/platform/native/region.ts'
import { Batch, batchFrames, Targets } from './batch.ts'
import { linkAt, numberAt, stampAt, writeHeaders } from './frame.ts'
import { monotonicClock } from './monotonic.ts'
import { openSocket } from './open-socket.ts'

/** Sends numbered, stamped frames for some time. Takes its options as JSON, prints how many it sent. */
export interface GeneratorOptions {
  readonly localPort: number
  /** The links' ports; frames go to each in turn. */
  readonly ports: readonly number[]
  readonly sizeBytes: number
  readonly seconds: number
  /** Frames each second; 0 for as many as possible. */
  readonly rate: number
}

const setTimerSlack = 29

function run({ localPort, ports, sizeBytes, seconds, rate }: GeneratorOptions): number {
  const libc = loadLibc()
  libc.prctl(setTimerSlack, 1000, 0, 0, 0)
  const now = monotonicClock(libc)
  const pause = new Region(16)
  pause.words[2] = 100_000
  const links = ports.length
  const fd = openSocket(libc, localPort, links === 1 ? ports[0] : undefined)
  const targets = new Targets(libc, ports)

  const batch = new Batch(sizeBytes)
  const bytes = batch.frames.bytes
  for (let index = 0; index < batchFrames; index += 1) writeHeaders(bytes, index * sizeBytes, sizeBytes)
  const start = now()
  const end = start + seconds * 1000
  let sent = 0
  for (let time = start; time < end; time = now()) {
    const due = rate === 0 ? batchFrames : Math.min(batchFrames, Math.floor(((time - start) * rate) / 1000) - sent)
    if (due <= 0) {
      libc.ppoll(null, 0, pause.address, null)
      continue
    }
    for (let index = 0; index < due; index += 1) {
      const link = (sent + index) % links
      bytes.writeUInt32LE((sent + index - link) / links, index * sizeBytes + numberAt)
      bytes.writeUInt16LE(link, index * sizeBytes + linkAt)
      if (links > 1) batch.setTarget(index, targets, link)
      bytes.writeDoubleLE(time, index * sizeBytes + stampAt)
    }
    sent += Math.max(0, libc.sendmmsg(fd, batch.messages.address, due, 0))
  }
  return sent
}

console.log(JSON.stringify({ sent: run(JSON.parse(process.argv[2] ?? '') as GeneratorOptions) }))
