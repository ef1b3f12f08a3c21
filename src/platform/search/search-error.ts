import { AppError } from '../errors.ts'

/** A `search` or an `order` that means nothing; `problem` completes "Cannot search: …". */
export function unsearchable(problem: string): AppError {
  return new AppError('unsearchable', `Cannot search: ${problem}`)
}
