import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Bytes of buffers that are still in use. Slow: it collects the garbage first. */
export function liveBufferBytes(): number {
  collectGarbage()
  collectGarbage() // buffers found dead by the first are counted until the second
  return process.memoryUsage().arrayBuffers
}
