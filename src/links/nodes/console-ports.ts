import { once } from 'node:events'
import { createServer } from 'node:net'
import { AppError } from '../../platform/errors.ts'

/** The range that GNS3 takes its consoles from. */
const first = 5000
const last = 9999

/**
 * Picks a port for a node's console: not another node's, and free on this machine now.
 *
 * @throws AppError `conflict` when there is none left
 */
export async function pickConsolePort(host: string, taken: ReadonlySet<number>): Promise<number> {
  for (let port = first; port <= last; port += 1) {
    if (!taken.has(port) && (await isFree(host, port))) return port
  }
  throw new AppError('conflict', `Cannot add the node: no port from ${first} to ${last} is free for its console`)
}

export async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
