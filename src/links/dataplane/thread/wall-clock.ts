import type { Libc } from '../../../platform/native/libc.ts'
import { Region } from '../../../platform/native/region.ts'

const realTime = 0

/** The time of day in the two parts that a pcap record wants. `read` sets both. */
export class WallClock {
  seconds = 0
  microseconds = 0
  readonly #libc: Libc
  readonly #time = new Region(16)

  constructor(libc: Libc) {
    this.#libc = libc
  }

  read(): void {
    this.#libc.clock_gettime(realTime, this.#time.address)
    this.seconds = this.#time.words[0] ?? 0
    this.microseconds = Math.floor((this.#time.words[2] ?? 0) / 1000)
  }
}
