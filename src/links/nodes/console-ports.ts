import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Kysely } from 'kysely'
import { AppError } from '../../platform/errors.ts'
import { KeyedQueue } from '../keyed-queue.ts'
import type { LinksTables } from '../tables.ts'
import { listConsolePorts } from './node-store.ts'

/** Consoles are for people on this machine; others reach them through a tunnel. */
export const consoleHost = '127.0.0.1'

/** The range that GNS3 takes its consoles from. */
export const consolePortRange = { first: 5000, last: 9999 } as const

/** The TCP ports of consoles: nodes of all projects share those of this machine. */
export class ConsolePorts {
  readonly #db: Kysely<LinksTables>
  readonly #queue = new KeyedQueue()

  constructor(db: Kysely<LinksTables>) {
    this.#db = db
  }

  /**
   * Picks a port that is not another node's and is free on this machine, and stores it by `use` before the next is picked.
   *
   * @throws AppError `conflict` when there is none left
   */
  use<T>(use: (port: number) => Promise<T>): Promise<T> {
    return this.#queue.run('', async () => use(await pickPort(await listConsolePorts(this.#db))))
  }

  isFree(port: number): Promise<boolean> {
    return isFree(port)
  }
}

async function pickPort(taken: ReadonlySet<number>): Promise<number> {
  const { first, last } = consolePortRange
  for (let port = first; port <= last; port += 1) {
    if (!taken.has(port) && (await isFree(port))) return port
  }
  throw new AppError('conflict', `Cannot add the node: no port from ${first} to ${last} is free for its console`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, consoleHost)
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
