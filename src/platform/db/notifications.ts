import type pg from 'pg'
import type { Logger } from '../log.ts'
import type { Database } from './database.ts'
import { lossOf } from './database-error.ts'

type Listener = (payload: string) => void

const reconnectMs = 500

/**
 * Announcements between all processes that share the database (LISTEN and NOTIFY), on one connection. After a lost connection
 * every listener hears an empty payload, because something may have been missed.
 */
export class Notifications implements AsyncDisposable {
  readonly #database: Database
  readonly #logger: Logger
  readonly #listeners = new Map<string, Set<Listener>>()
  #client: pg.Client | undefined
  #retry: NodeJS.Timeout | undefined
  #restart: Promise<void> | undefined
  #isClosed = false

  constructor(database: Database, logger: Logger) {
    this.#database = database
    this.#logger = logger
  }

  async start(): Promise<void> {
    const client = await this.#database.connect()
    try {
      client.on('notification', ({ channel, payload = '' }) => this.#tell(channel, payload))
      this.#client = client
      for (const channel of this.#listeners.keys()) await listen(client, channel)
      if (this.#isClosed) throw new Error('The announcements were closed while they were being opened')
    } catch (error) {
      this.#client = undefined
      await client.end().catch(() => undefined)
      throw error
    }
    client.on('end', () => this.#reconnect())
  }

  /** The returned function ends the subscription. */
  async subscribe(channel: string, listener: Listener): Promise<() => void> {
    const listeners = this.#listeners.get(channel) ?? new Set()
    this.#listeners.set(channel, listeners.add(listener))
    if (listeners.size === 1 && this.#client !== undefined) await listenUnlessLost(this.#client, channel)
    return () => listeners.delete(listener)
  }

  #tell(channel: string, payload: string): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener(payload)
  }

  #reconnect(): void {
    this.#client = undefined
    if (this.#isClosed) return
    this.#retry = setTimeout(() => {
      this.#restart = this.start().then(
        () => this.#tellAll(),
        (error) => {
          if (!this.#isClosed) this.#logger.warn({ err: error }, 'cannot listen for announcements of the database')
          this.#reconnect()
        },
      )
    }, reconnectMs)
  }

  #tellAll(): void {
    for (const channel of this.#listeners.keys()) this.#tell(channel, '')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    await this.#restart
    await this.#client?.end()
  }
}

/** On a connection that is just being lost nobody needs to listen: the next one listens to all channels. */
async function listenUnlessLost(client: pg.Client, channel: string): Promise<void> {
  await listen(client, channel).catch((error: unknown) => {
    if (lossOf(error) === undefined) throw error
  })
}

async function listen(client: pg.Client, channel: string): Promise<void> {
  await client.query(`listen ${client.escapeIdentifier(channel)}`)
}
