import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import type { Logger } from '../log.ts'

/** A pool or a transaction: who opens the transaction decides its extent. */
export type Db<Tables> = Kysely<Tables> | Transaction<Tables>

const int8Oid = 20
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8Oid ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

export interface DatabaseOptions {
  readonly connection: pg.ClientConfig
  readonly logger: Logger
  readonly maxConnections?: number
}

/** The pool of connections to one PostgreSQL database. Opens nothing until the first query. */
export class Database implements AsyncDisposable {
  readonly pool: pg.Pool
  readonly #kysely: Kysely<unknown>
  readonly #connection: pg.ClientConfig
  readonly #logger: Logger
  #isClosing = false

  constructor({ connection, logger, maxConnections = 16 }: DatabaseOptions) {
    this.#connection = { ...connection, types, application_name: 'backhaul' }
    this.#logger = logger
    this.pool = new pg.Pool({ ...this.#connection, max: maxConnections, idleTimeoutMillis: 30_000 })
    // the pool tells of the loss of idle connections only; nobody else listens to those that are in use
    this.pool.on('error', () => undefined)
    this.pool.on('connect', (client) => client.on('error', (error) => this.#noteLoss(error)))
    this.#kysely = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: this.pool }) })
  }

  /** Typed access for one part of the program; each part declares the tables that it owns or reads. */
  tables<Tables>(): Kysely<Tables> {
    return this.#kysely as Kysely<Tables>
  }

  /** A connection of its own, for session locks, LISTEN and COPY. The caller ends it. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#connection)
    client.on('error', (error) => this.#noteLoss(error))
    await client.connect()
    return client
  }

  /** Connections that are just being closed may be told by a server that stops as well. */
  #noteLoss(error: Error): void {
    if (!this.#isClosing) this.#logger.warn({ err: error }, 'a database connection was lost')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    await this.pool.end()
  }
}

const errorCodes = {
  uniqueViolation: '23505',
  foreignKeyViolation: '23503',
} as const

/** True when the database refused a row because of that constraint or unique index (any, when none is named). */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return violates(error, errorCodes.uniqueViolation, constraint)
}

export function isForeignKeyViolation(error: unknown, constraint?: string): boolean {
  return violates(error, errorCodes.foreignKeyViolation, constraint)
}

function violates(error: unknown, code: string, constraint: string | undefined): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code !== code) return false
  return constraint === undefined || error.constraint === constraint
}
