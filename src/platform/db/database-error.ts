import pg from 'pg'
import { AppError } from '../errors.ts'

/** What the database refuses when two requests change the same things at once, and nobody said it in better words. */
const clashes: ReadonlyMap<string, string> = new Map([
  ['23503', 'something it refers to is gone'], // foreign_key_violation
  ['23505', 'somebody else has just made the same'], // unique_violation
  ['40001', 'somebody else changed the same things'], // serialization_failure
  ['40P01', 'somebody else changed the same things'], // deadlock_detected
])

/** Classes of what a server says that stops, starts or has no room; and what the system says when there is none. */
const lossCodes = /^(57P0[1235]|08...|53300|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT)$/

/** What the driver says without a code. */
const lossMessages = /^(Connection terminated|timeout exceeded when trying to connect|Client .* is not queryable)/

/** The loss of a connection, or of the whole server, as `unavailable`; undefined for any other error. */
export function lossOf(error: unknown): AppError | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, syscall } = error as NodeJS.ErrnoException
  const isOurs = error instanceof pg.DatabaseError || syscall === 'connect' || syscall === 'read' || syscall === 'write'
  const isLoss = code === undefined ? lossMessages.test(error.message) : isOurs && lossCodes.test(code)
  return isLoss ? new AppError('unavailable', 'The database cannot be reached. Try again', { cause: error }) : undefined
}

/** A refusal of the database as a `conflict`; undefined for any other error. */
export function clashOf(error: unknown): AppError | undefined {
  const why = error instanceof pg.DatabaseError ? clashes.get(error.code ?? '') : undefined
  return why === undefined
    ? undefined
    : new AppError('conflict', `Cannot do this now: ${why}. Try again`, { cause: error })
}
