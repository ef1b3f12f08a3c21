import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Kysely } from 'kysely'
import { AppError } from '../../platform/errors.ts'
import { KeyedQueue } from '../keyed-queue.ts'
import type { LinksTables, NodeRow } from '../tables.ts'
import { listConsolePorts, updateNode } from './node-store.ts'

/** Consoles are for people on this machine; others reach them through a tunnel. */
export const consoleHost = '127.0.0.1'

/** From `first` to `last`, both included. */
export interface PortRange {
  readonly first: number
  readonly last: number
}

/** The TCP ports of consoles: nodes of all projects share those of this machine. */
export class ConsolePorts {
  readonly #db: Kysely<LinksTables>
  readonly #queue = new KeyedQueue()
  /** Where they are taken from. */
  readonly range: PortRange

  constructor(db: Kysely<LinksTables>, range: PortRange) {
    this.#db = db
    this.range = range
  }

  /**
   * Picks a port that is not another node's and is free on this machine, and stores it by `use` before the next is picked.
   *
   * @throws AppError `conflict` when there is none left
   */
  use<T>(use: (port: number) => Promise<T>): Promise<T> {
    return this.#queue.run('', async () => use(await pickPort(this.range, await listConsolePorts(this.#db))))
  }

  /**
   * Picks a port for each place of a list, the one that is wanted there if it is free, and stores them all by `use` before
   * the next is picked. Places where none is wanted get null. The ports of one project count as free: it gives them up.
   *
   * @throws AppError `conflict` when there are not enough
   */
  useAll<T>({ wanted, replacing }: WantedPorts, use: (ports: readonly (number | null)[]) => Promise<T>): Promise<T> {
    return this.#queue.run('', async () => {
      return use(await pickPorts(this.range, wanted, await listConsolePorts(this.#db, replacing)))
    })
  }

  /** Those that nodes have. */
  list(): Promise<ReadonlySet<number>> {
    return listConsolePorts(this.#db)
  }

  /** The node with a console port that is free now: somebody else may have taken its own while it rested. */
  async ensureFree(node: NodeRow): Promise<NodeRow> {
    if (node.console_port === null || (await isFree(node.console_port))) return node
    return this.use((console_port) => updateNode(this.#db, node.id, { console_port }))
  }
}

export interface WantedPorts {
  /** `any` where it does not matter which. */
  readonly wanted: readonly (number | 'any' | null)[]
  /** The id of the project whose nodes will no longer be there. */
  readonly replacing?: string | undefined
}

async function pickPorts(
  range: PortRange,
  wanted: WantedPorts['wanted'],
  inUse: ReadonlySet<number>,
): Promise<(number | null)[]> {
  const taken = new Set(inUse)
  const ports: (number | null)[] = []
  for (const want of wanted) {
    const port = want === null ? null : await pickWanted(range, want, taken)
    if (port !== null) taken.add(port)
    ports.push(port)
  }
  return ports
}

async function pickWanted(range: PortRange, wanted: number | 'any', taken: ReadonlySet<number>): Promise<number> {
  const isPossible = wanted !== 'any' && wanted >= range.first && wanted <= range.last && !taken.has(wanted)
  return isPossible && (await isFree(wanted)) ? wanted : pickPort(range, taken)
}

async function pickPort({ first, last }: PortRange, taken: ReadonlySet<number>): Promise<number> {
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
