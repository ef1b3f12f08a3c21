import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import type { Database } from './database.ts'

const lockClass = 7_206_414
const retryMs = 100

/**
 * Locks by name that no two processes with the same database hold at once. They are for saving work, not for safety: with
 * the connection all are lost, and different names may, rarely, stand for the same lock.
 */
export class SessionLocks implements AsyncDisposable {
  readonly #database: Database
  #session: Promise<pg.Client> | undefined
  /** A session answers one question after the other. */
  #asked: Promise<unknown> = Promise.resolve()

  constructor(database: Database) {
    this.#database = database
  }

  /** Waits for the lock, then does the work with it. Within one process names must differ. */
  async holding<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    while (!(await this.#ask('select pg_try_advisory_lock($1, hashtext($2)) as is_done', name)))
      await setTimeout(retryMs, undefined, { signal })
    try {
      return await work()
    } finally {
      // the lock is gone with the session, should that be lost
      await this.#ask('select pg_advisory_unlock($1, hashtext($2)) as is_done', name).catch(() => undefined)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const session = await this.#session?.catch(() => undefined)
    this.#session = undefined
    await session?.end()
  }

  #ask(query: string, name: string): Promise<boolean> {
    const answer = this.#asked.then(() => this.#askNow(query, name))
    this.#asked = answer.catch(() => undefined)
    return answer
  }

  async #askNow(query: string, name: string): Promise<boolean> {
    this.#session ??= this.#open()
    const session = await this.#session
    const { rows } = await session.query<{ is_done: boolean }>(query, [lockClass, name])
    return rows[0]?.is_done === true
  }

  #open(): Promise<pg.Client> {
    const opening = this.#database.connect()
    const forget = () => {
      if (this.#session === opening) this.#session = undefined
    }
    opening.then((session) => session.once('end', forget), forget)
    return opening
  }
}
