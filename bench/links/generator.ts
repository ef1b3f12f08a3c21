import { loadLibc } from '../../src/links/dataplane/native/libc.ts'
import { Region } from '../../src/links/dataplane/native/region.ts'
import { openUdpSocket } from '../../src/links/dataplane/native/udp-socket.ts'
import { Batch, batchFrames } from './batch.ts'
import { numberAt, stampAt, writeHeaders } from './frame.ts'
import { monotonicClock } from './monotonic.ts'

/** Sends numbered, stamped frames for some time. Takes its options as JSON, prints how many it sent. */
export interface GeneratorOptions {
  readonly localPort: number
  readonly port: number
  readonly sizeBytes: number
  readonly seconds: number
  /** Frames each second; 0 for as many as possible. */
  readonly rate: number
}

const setTimerSlack = 29

function run({ localPort, port, sizeBytes, seconds, rate }: GeneratorOptions): number {
  const libc = loadLibc()
  libc.prctl(setTimerSlack, 1000, 0, 0, 0)
  const now = monotonicClock(libc)
  const pause = new Region(16)
  pause.words[2] = 100_000
  const { fd } = openUdpSocket(libc, {
    local: { host: '127.0.0.1', port: localPort },
    peer: { host: '127.0.0.1', port },
  })

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
      bytes.writeUInt32LE(sent + index, index * sizeBytes + numberAt)
      bytes.writeDoubleLE(time, index * sizeBytes + stampAt)
    }
    sent += Math.max(0, libc.sendmmsg(fd, batch.messages.address, due, 0))
  }
  return sent
}

console.log(JSON.stringify({ sent: run(JSON.parse(process.argv[2] ?? '') as GeneratorOptions) }))
