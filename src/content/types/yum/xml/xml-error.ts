import { AppError } from '../../../../platform/errors.ts'

/** A document that is no XML, or not what it should be. `name` is the file as it is called in messages. */
export function wrongDocument(name: string, problem: string, cause?: unknown): AppError {
  return new AppError('upstream', `Cannot read ${name}: ${problem}`, { cause })
}
