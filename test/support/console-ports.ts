import { once } from 'node:events'
import { createServer } from 'node:net'

const firstPort = 10_000
const size = 100
const ranges = 200

export interface ClaimedPorts extends AsyncDisposable {
  /** For `BACKHAUL_CONSOLE_PORTS`. */
  readonly range: string
}

/** A range of ports that no other server under test uses, in whatever process: its first port is listened at meanwhile. */
export async function claimConsolePorts(): Promise<ClaimedPorts> {
  for (let step = 0; step < ranges; step += 1) {
    const first = firstPort + size * ((process.pid + step) % ranges)
    const server = createServer().listen(first, '127.0.0.1')
    try {
      await once(server, 'listening')
      return {
        range: `${first + 1}-${first + size - 1}`,
        [Symbol.asyncDispose]: async () => void server.close(),
      }
    } catch {
      // somebody else's
    }
  }
  throw new Error('All ranges of ports are in use')
}
