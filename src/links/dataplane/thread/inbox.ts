import type { Libc } from '../../../platform/native/libc.ts'
import { Region } from '../../../platform/native/region.ts'
import { batchFrames, type Outbox } from './outbox.ts'

/** The largest frame that is carried: jumbo frames with their headers. */
export const maxFrameBytes = 9216

/** One byte more than fits, so that a cut frame shows. Not a power of two, so that slots spread over the CPU cache. */
const slotBytes = 9280

/** Words of `struct mmsghdr` (recvmmsg(2)) on 64-bit Linux, and where its parts lie. */
const messageWords = 16
const messageIovec = 4
const messageIovecCount = 6
const messageLength = 14

const doNotWait = 0x40

/** Where frames are read into, a batch at a time; one serves all ports of a thread. */
export class Inbox {
  readonly slots = new Region(batchFrames * slotBytes)
  readonly #messages = new Region(batchFrames * messageWords * 4)
  readonly #iovecs = new Region(batchFrames * 16)
  readonly #libc: Libc

  constructor(libc: Libc) {
    this.#libc = libc
    for (let index = 0; index < batchFrames; index += 1) {
      this.slots.writeAddress(this.offsetOf(index), this.#iovecs.words, index * 4)
      this.#iovecs.words[index * 4 + 2] = maxFrameBytes + 1
      this.#iovecs.writeAddress(index * 16, this.#messages.words, index * messageWords + messageIovec)
      this.#messages.words[index * messageWords + messageIovecCount] = 1
    }
  }

  /** Reads what waits at a datagram socket. Gives the number of frames, or -1 with `errno()` set. */
  receive(fd: number): number {
    return this.#libc.recvmmsg(fd, this.#messages.address, batchFrames, doNotWait, null)
  }

  /** Takes copies of an outbox's frames instead. Gives their number. */
  copy({ count, sources, offsets, lengths }: Outbox): number {
    for (let index = 0; index < count; index += 1) {
      const from = offsets[index] ?? 0
      const length = lengths[index] ?? 0
      sources[index]?.bytes.copy(this.slots.bytes, this.offsetOf(index), from, from + length)
      this.#messages.words[index * messageWords + messageLength] = length
    }
    return count
  }

  offsetOf(index: number): number {
    return index * slotBytes
  }

  /** Notes the length of a frame that was laid into its slot otherwise. */
  setLength(index: number, length: number): void {
    this.#messages.words[index * messageWords + messageLength] = length
  }

  /** The length of a frame that was read; more than `maxFrameBytes` when it was cut. */
  lengthOf(index: number): number {
    return this.#messages.words[index * messageWords + messageLength] ?? 0
  }
}
