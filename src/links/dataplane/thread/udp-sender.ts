import { errno, errors, type Libc } from '../../../platform/native/libc.ts'
import { Region } from '../../../platform/native/region.ts'
import { batchFrames, type Outbox } from './outbox.ts'

/** Words of `struct mmsghdr` (sendmmsg(2)) on 64-bit Linux, and where its parts lie. */
const messageWords = 16
const messageIovec = 4
const messageIovecCount = 6
const messageControl = 8
const messageControlSize = 10

/** `struct cmsghdr` with 16 bits of data (cmsg(3)): CMSG_SPACE, CMSG_LEN, level, type (udp(7), UDP_SEGMENT). */
const controlBytes = 24
const controlLength = 18
const levelUdp = 17
const udpSegment = 103

/** The kernel takes at most 64 segments, and one datagram's worth of bytes, in one segmented send. */
const maxSegments = 64
const maxSegmentedBytes = 65_000

const doNotWait = 0x40
const noSignal = 0x4000
const maxTries = 4

/** What the sender remembers of one port: frames of more than this many bytes are not sent as segments. */
export interface SegmentLimit {
  maxSegmentBytes: number
}

/** Sends batches over connected UDP sockets; one serves all ports of a thread. */
export class UdpSender {
  readonly #libc: Libc
  readonly #messages = new Region(batchFrames * messageWords * 4)
  readonly #controls = new Region(batchFrames * controlBytes)
  /** The first frame of each message, and behind the last one the number of frames. */
  readonly #firstFrames = new Int32Array(batchFrames + 1)

  constructor(libc: Libc) {
    this.#libc = libc
    for (let index = 0; index < batchFrames; index += 1) {
      const word = (index * controlBytes) >> 2
      this.#controls.words[word] = controlLength
      this.#controls.words[word + 2] = levelUdp
      this.#controls.words[word + 3] = udpSegment
    }
  }

  /**
   * Sends all frames in order; runs of equal size go as one segmented send. Frames that the kernel does not take (a full
   * send buffer, a peer that cannot be reached) are noted in the outbox as failed.
   */
  send(fd: number, outbox: Outbox, limit: SegmentLimit): void {
    let frame = 0
    while (frame < outbox.count) {
      const messages = this.#build(outbox, frame, limit)
      const sent = this.#transmit(fd, messages)
      frame = this.#firstFrames[sent] ?? outbox.count
      if (sent === messages) continue

      const end = this.#firstFrames[sent + 1] ?? outbox.count
      if (end - frame > 1) {
        // The kernel will not segment frames of this size here (they exceed the path's MTU): send them one by one.
        limit.maxSegmentBytes = Math.min(limit.maxSegmentBytes, (outbox.lengths[frame] ?? 1) - 1)
      } else {
        outbox.fail(frame)
        frame = end
      }
    }
  }

  /** Sends messages until one is refused for good. Gives how many went. */
  #transmit(fd: number, messages: number): number {
    let sent = 0
    let tries = 0
    while (sent < messages && tries < maxTries) {
      const { address } = this.#messages
      const from = sent === 0 ? address : address + BigInt(sent * messageWords * 4)
      const taken = this.#libc.sendmmsg(fd, from, messages - sent, doNotWait | noSignal)
      if (taken > 0) {
        sent += taken
        tries = 0
      } else if (isPassing(errno())) {
        tries += 1
      } else {
        return sent
      }
    }
    return sent
  }

  /** Lays the frames from `frame` on out as messages. Gives their number. */
  #build(outbox: Outbox, frame: number, limit: SegmentLimit): number {
    let messages = 0
    let first = frame
    while (first < outbox.count) {
      const end = endOfRun(outbox, first, limit.maxSegmentBytes)
      this.#firstFrames[messages] = first
      this.#writeMessage(messages, outbox, end)
      messages += 1
      first = end
    }
    this.#firstFrames[messages] = outbox.count
    return messages
  }

  #writeMessage(index: number, outbox: Outbox, end: number): void {
    const first = this.#firstFrames[index] ?? 0
    const words = this.#messages.words
    const base = index * messageWords
    outbox.iovecs.writeAddress(first * 16, words, base + messageIovec)
    words[base + messageIovecCount] = end - first
    if (end - first === 1) {
      words[base + messageControl] = 0
      words[base + messageControl + 1] = 0
      words[base + messageControlSize] = 0
      return
    }
    const control = index * controlBytes
    this.#controls.words[(control >> 2) + 4] = outbox.lengths[first] ?? 0
    this.#controls.writeAddress(control, words, base + messageControl)
    words[base + messageControlSize] = controlBytes
  }
}

/** The end of the longest run from `first` that is one segmented send: equal sizes, the last may be shorter. */
function endOfRun(outbox: Outbox, first: number, maxSegmentBytes: number): number {
  const { lengths, count } = outbox
  const size = lengths[first] ?? 0
  if (size > maxSegmentBytes) return first + 1

  const limit = Math.min(count, first + Math.min(maxSegments, Math.max(1, Math.floor(maxSegmentedBytes / size))))
  let end = first + 1
  while (end < limit && lengths[end] === size) end += 1
  if (end < limit && (lengths[end] ?? 0) < size) end += 1
  return end
}

/**
 * An interrupted call, or an error that an earlier datagram left behind (ICMP: nobody listens there yet): this one was
 * not tried, so it is sent again.
 */
function isPassing(error: number): boolean {
  return (
    error === errors.EINTR ||
    error === errors.ECONNREFUSED ||
    error === errors.EHOSTUNREACH ||
    error === errors.ENETUNREACH
  )
}
