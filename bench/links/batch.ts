import { Region } from '../../src/links/dataplane/native/region.ts'

export const batchFrames = 64
const messageWords = 16

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

  lengthOf(index: number): number {
    return this.messages.words[index * messageWords + 14] ?? 0
  }
}
