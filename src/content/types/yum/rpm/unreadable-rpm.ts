import { AppError } from '../../../../platform/errors.ts'

/** The error about a file that is no rpm, or a broken one. */
export function unreadable(problem: string): AppError {
  return new AppError('invalid', `Cannot read the package: ${problem}`)
}
