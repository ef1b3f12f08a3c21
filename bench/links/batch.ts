import { encodeAddress } from '../../src/links/dataplane/native/socket-address.ts'
import type { Libc } from '../../src/platform/native/libc.ts'
import { Region } from '../../src/platform/native/region.ts'

export const batchFrames = 64
const messageWords = 16
const addressBytes = 16

/** Ports of 127.0.0.1, as the kernel wants them. */
export class Targets {
  readonly addresses: Region

  constructor(libc: Libc, ports: readonly number[]) {
    this.addresses = new Region(ports.length * addressBytes)
    for (const [index, port] of ports.entries()) {
      this.addresses.bytes.set(encodeAddress(libc, { host: '127.0.0.1', port }), index * addressBytes)
    }
  }
}

/** A batch of datagram slots with the kernel's structures (recvmmsg(2)) over them. */
export class Batch {
  readonly frames: Region
  readonly messages = new Region(batchFrames * messageWords * 4)
  readonly slotBytes: number
  readonly #iovecs = new Region(batchFrames * 16)

  constructor(slotBytes: number) {
    this.slotBytes = slotBytes
    this.frames = new Region(batchFrames * slotBytes)
    for (let index = 0; index < batchFrames; index += 1) {
      this.frames.writeAddress(index * slotBytes, this.#iovecs.words, index * 4)
      this.#iovecs.words[index * 4 + 2] = slotBytes
      this.#iovecs.writeAddress(index * 16, this.messages.words, index * messageWords + 4)
      this.messages.words[index * messageWords + 6] = 1
    }
  }

  /** Says where a message goes, when it is sent by a socket that is not connected. */
  setTarget(index: number, targets: Targets, target: number): void {
    targets.addresses.writeAddress(target * addressBytes, this.messages.words, index * messageWords)
    this.messages.words[index * messageWords + 2] = addressBytes
  }

  lengthOf(index: number): number {
    return this.messages.words[index * messageWords + 14] ?? 0
  }
}
