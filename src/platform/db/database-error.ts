import pg from 'pg'
import { AppError } from '../errors.ts'

/** What the database refuses when two requests change the same things at once, and nobody said it in better words. */
const clashes: ReadonlyMap<string, string> = new Map([
  ['23503', 'something it refers to is gone'], // foreign_key_violation
  ['23505', 'somebody else has just made the same'], // unique_violation
  ['40001', 'somebody else changed the same things'], // serialization_failure
  ['40P01', 'somebody else changed the same things'], // deadlock_detected
])

/** A refusal of the database as a `conflict`; undefined for any other error. */
export function clashOf(error: unknown): AppError | undefined {
  const why = error instanceof pg.DatabaseError ? clashes.get(error.code ?? '') : undefined
  return why === undefined
    ? undefined
    : new AppError('conflict', `Cannot do this now: ${why}. Try again`, { cause: error })
}
