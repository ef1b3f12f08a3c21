import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { AppError } from '../errors.ts'
import type { AuthTables } from './tables.ts'

const windowMs = 5 * 60_000

/** An address stands for many people more often than a login does. */
const limits = { address: 30, login: 10 } as const

export interface LoginAttempt {
  readonly address: string
  readonly login: string
}

/**
 * Slows down guessing: after too many failures of one address or one login within five minutes, every further
 * password is refused unseen until five minutes have passed without another one. Shared by all processes.
 */
export class LoginThrottle {
  readonly #db: Db<AuthTables>
  readonly #now: () => number

  constructor(db: Db<AuthTables>, now: () => number) {
    this.#db = db
    this.#now = now
  }

  /** @throws AppError `throttled` */
  async refuseTooMany(attempt: LoginAttempt): Promise<void> {
    const rows = await this.#db
      .selectFrom('login_failures')
      .select(['subject', 'failures'])
      .where('subject', 'in', subjectsOf(attempt))
      .where('last_at', '>', new Date(this.#now() - windowMs))
      .execute()
    const isBlocked = rows.some(({ subject, failures }) => failures >= limitOf(subject))
    if (isBlocked) throw new AppError('throttled', 'Too many failed logins: try again in five minutes')
  }

  async noteFailure(attempt: LoginAttempt): Promise<void> {
    const now = new Date(this.#now())
    const windowStart = new Date(this.#now() - windowMs)
    await this.#db
      .insertInto('login_failures')
      .values(subjectsOf(attempt).map((subject) => ({ subject, failures: 1, last_at: now })))
      .onConflict((conflict) =>
        conflict.column('subject').doUpdateSet({
          failures: sql`case when login_failures.last_at > ${windowStart} then login_failures.failures + 1 else 1 end`,
          last_at: now,
        }),
      )
      .execute()
    await this.#forgetOlder(windowStart)
  }

  /** Passes over rows that another failure is just counted in, so that the two never wait for each other. */
  async #forgetOlder(time: Date): Promise<void> {
    await this.#db
      .deleteFrom('login_failures')
      .where('subject', 'in', (old) =>
        old.selectFrom('login_failures').select('subject').where('last_at', '<', time).forUpdate().skipLocked(),
      )
      .execute()
  }

  /** A right password clears what its login failed before; the address still answers for its other guesses. */
  async noteSuccess({ login }: LoginAttempt): Promise<void> {
    await this.#db.deleteFrom('login_failures').where('subject', '=', loginSubject(login)).execute()
  }
}

function subjectsOf({ address, login }: LoginAttempt): string[] {
  return [`address:${address}`, loginSubject(login)].sort()
}

function loginSubject(login: string): string {
  return `login:${login.toLowerCase().slice(0, 200)}`
}

function limitOf(subject: string): number {
  return subject.startsWith('address:') ? limits.address : limits.login
}
