import { AppError } from './errors.ts'

/** Whoever asks whether we work must not hang with what we wait for. */
const patienceMs = 2000

/** @throws AppError `unavailable` with the message when the work has not ended after two seconds; it goes on, unobserved */
export async function inTime<T>(work: Promise<T>, message: string): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new AppError('unavailable', message)), patienceMs)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
