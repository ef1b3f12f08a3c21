import type { Libc } from '../../src/platform/native/libc.ts'
import { Region } from '../../src/platform/native/region.ts'

const monotonic = 1

/** A clock in ms that all processes of this machine share. */
export function monotonicClock(libc: Libc): () => number {
  const time = new Region(16)
  return () => {
    libc.clock_gettime(monotonic, time.address)
    return (time.words[0] ?? 0) * 1000 + (time.words[2] ?? 0) / 1e6
  }
}
