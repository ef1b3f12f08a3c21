import { errno, errors, type Libc } from '../../../platform/native/libc.ts'
import { Region } from '../../../platform/native/region.ts'
import type { Outbox } from './outbox.ts'
import { type SuperFrame, vnetHeaderBytes } from './super-frame.ts'

const doNotWait = 0x40

/** Words of `struct mmsghdr` (recvmmsg(2)) on 64-bit Linux, and where its parts lie. */
const messageWords = 16
const messageIovec = 4
const messageIovecCount = 6
const messageControl = 8
const messageControlSize = 10
const messageLength = 14

/** A control message with `struct tpacket_auxdata` (packet(7), PACKET_AUXDATA): 16 bytes of header, 20 of data. */
const controlBytes = 40
const auxiliaryStatus = 4
const auxiliaryTag = 8
const statusTagValid = 0x10
const statusProtocolValid = 0x40
const typeTag = 0x8100

/** What became of a read; `gone`: there will never be a frame again, as the device was deleted (EBADFD). */
export type ReadOutcome = 'frame' | 'none' | 'gone'

/** Reads and writes frames with a `virtio_net_hdr` before them; one serves all ports of a thread. */
export class DeviceCalls {
  readonly #libc: Libc
  readonly #message = new Region(messageWords * 4)
  readonly #control = new Region(controlBytes)
  readonly #readIovec = new Region(16)
  /** A header that says nothing, then the frame. */
  readonly #writeIovecs = new Region(32)
  readonly #emptyHeader = new Region(16)

  constructor(libc: Libc) {
    this.#libc = libc
    this.#readIovec.writeAddress(0, this.#message.words, messageIovec)
    this.#message.words[messageIovecCount] = 1
    this.#control.writeAddress(0, this.#message.words, messageControl)
    this.#emptyHeader.writeAddress(0, this.#writeIovecs.words, 0)
    this.#writeIovecs.words[2] = vnetHeaderBytes
  }

  /** Reads one frame of a TAP device. */
  readTap(fd: number, frame: SuperFrame): ReadOutcome {
    const count = this.#libc.read(fd, frame.readAddress, frame.readBytes)
    if (count < 0) return errno() === errors.EAGAIN || errno() === errors.EINTR ? 'none' : 'gone'
    frame.filled(count)
    return 'frame'
  }

  /**
   * Reads one frame of a packet socket, with its VLAN tag. An error of the socket (ENETDOWN) is cleared by reading it.
   */
  readPacket(fd: number, frame: SuperFrame): ReadOutcome {
    const { words } = this.#message
    frame.memory.writeAddress(frame.readOffset, this.#readIovec.words, 0)
    this.#readIovec.words[2] = frame.readBytes
    words[messageControlSize] = controlBytes
    this.#control.words[auxiliaryStatus] = 0
    if (this.#libc.recvmmsg(fd, this.#message.address, 1, doNotWait, null) <= 0) {
      if (errno() !== errors.EINVAL) return 'none'
      // The kernel threw a frame away whose segmentation has no name in a virtio_net_hdr.
      frame.filled(0)
      return 'frame'
    }

    frame.filled(words[messageLength] ?? 0)
    this.#putTagBack(frame)
    return 'frame'
  }

  #putTagBack(frame: SuperFrame): void {
    const status = this.#control.words[auxiliaryStatus] ?? 0
    if ((status & statusTagValid) === 0) return
    const tag = this.#control.words[auxiliaryTag] ?? 0
    frame.insertTag((status & statusProtocolValid) === 0 ? typeTag : tag >>> 16, tag & 0xffff)
  }

  /** Sends the frames of the outbox one by one; notes there those that the kernel did not take. */
  write(fd: number, outbox: Outbox): void {
    const { words, address } = this.#writeIovecs
    for (let index = 0; index < outbox.count; index += 1) {
      outbox.sources[index]?.writeAddress(outbox.offsets[index] ?? 0, words, 4)
      words[6] = outbox.lengths[index] ?? 0
      if (this.#libc.writev(fd, address, 2) < 0) outbox.fail(index)
    }
  }

  /** Sends a frame as it was read. Gives whether the kernel took it. */
  writeWhole(fd: number, frame: SuperFrame): boolean {
    return this.#libc.write(fd, frame.headerAddress, vnetHeaderBytes + frame.length) >= 0
  }
}
