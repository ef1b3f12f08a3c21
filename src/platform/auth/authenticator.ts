import { createHmac, randomBytes } from 'node:crypto'
import type { Db } from '../db/database.ts'
import { AppError } from '../errors.ts'
import { type Actor, type GlobalRight, globalRights } from './actor.ts'
import { LoginThrottle } from './login-throttle.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import type { AuthTables, UserRow } from './tables.ts'
import { findUserByToken, isToken } from './token-store.ts'
import { findUserByLogin } from './user-store.ts'

interface Credentials {
  readonly login: string | undefined
  readonly secret: string
}

const rememberedLogins = 1000

/** Finds out who a request speaks for, from its `Authorization` header (RFC 7617 Basic, RFC 6750 Bearer). */
export class Authenticator {
  readonly #db: Db<AuthTables>
  readonly #throttle: LoginThrottle
  readonly #now: () => number
  /** Passwords proven right, under a key of this process's own, with the hash that they were proven against. */
  readonly #proven = new Map<string, string>()
  readonly #provenKey = randomBytes(32)
  /** What a password of an unknown login is compared with, so that both take the same time. */
  #decoy: string | undefined

  constructor(db: Db<AuthTables>, now: () => number) {
    this.#db = db
    this.#now = now
    this.#throttle = new LoginThrottle(db, now)
  }

  /**
   * @param address who sends it, for the throttle
   * @throws AppError `unauthenticated` or `throttled`
   */
  async authenticate(authorization: string | undefined, address: string): Promise<Actor> {
    const { login, secret } = readCredentials(authorization)
    if (isToken(secret)) return actorOf(await this.#userByToken(secret, login))
    if (login === undefined) throw new AppError('unauthenticated', 'Unable to authenticate: the token is not valid')
    return actorOf(await this.#userByPassword({ login, secret, address }))
  }

  async #userByToken(token: string, login: string | undefined): Promise<UserRow> {
    const user = await findUserByToken(this.#db, token, new Date(this.#now()))
    const isTheirs = login === undefined || user?.login.toLowerCase() === login.toLowerCase()
    if (user === undefined || user.is_disabled || !isTheirs) {
      throw new AppError('unauthenticated', 'Unable to authenticate: the token is not valid')
    }
    return user
  }

  async #userByPassword({
    login,
    secret,
    address,
  }: {
    login: string
    secret: string
    address: string
  }): Promise<UserRow> {
    const user = await findUserByLogin(this.#db, login)
    const proof = createHmac('sha256', this.#provenKey).update(`${login.toLowerCase()}\0${secret}`).digest('base64')
    if (user !== undefined && !user.is_disabled && this.#proven.get(proof) === user.password_hash) return user
    await this.#throttle.refuseTooMany({ address, login })
    const isRight = await verifyPassword(user?.password_hash ?? (await this.#decoyHash()), secret)
    if (user === undefined || user.is_disabled || !isRight) {
      await this.#throttle.noteFailure({ address, login })
      throw new AppError('unauthenticated', `Unable to authenticate user ${login}`)
    }
    await this.#throttle.noteSuccess({ address, login })
    this.#remember(proof, user.password_hash)
    return user
  }

  async #decoyHash(): Promise<string> {
    this.#decoy ??= await hashPassword(randomBytes(16).toString('hex'))
    return this.#decoy
  }

  #remember(proof: string, passwordHash: string): void {
    const [oldest] = this.#proven.keys()
    if (this.#proven.size >= rememberedLogins && oldest !== undefined) this.#proven.delete(oldest)
    this.#proven.set(proof, passwordHash)
  }
}

function readCredentials(authorization: string | undefined): Credentials {
  const [, scheme = '', value = ''] = /^(\w+) +(\S+) *$/.exec(authorization ?? '') ?? []
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return { login: undefined, secret: value }
    case 'basic':
      return readBasic(value)
    default:
      throw new AppError('unauthenticated', 'Unable to authenticate: log in with HTTP Basic or a Bearer token')
  }
}

function readBasic(value: string): Credentials {
  const text = Buffer.from(value, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1 || text.includes('\0')) {
    throw new AppError('unauthenticated', 'Unable to authenticate: the Basic credentials cannot be read')
  }
  return { login: text.slice(0, colon), secret: text.slice(colon + 1) }
}

function actorOf({ id, login, rights }: UserRow): Actor {
  const known = rights.filter((right): right is GlobalRight => globalRights.some((name) => name === right))
  return { userId: id, login, rights: new Set(known) }
}
