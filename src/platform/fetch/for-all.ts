import { AppError, messageOf } from '../errors.ts'

export interface ForAll {
  readonly concurrency: number
  readonly signal: AbortSignal
}

/** With so many failures the upstream is at fault as a whole: the rest is not worth asking for. */
const maxFailures = 20

/**
 * Asks an upstream for many things, at most `concurrency` at once. One that fails does not keep the others from being
 * asked for.
 *
 * @throws AppError `upstream` with the messages of all failures when the others are done; a full disk and the reason of
 *   the signal as they are, when nothing runs any more
 */
export async function forAll<T>(
  items: readonly T[],
  { concurrency, signal }: ForAll,
  ask: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  const failures: unknown[] = []
  const isOver = () => signal.aborted || failures.length >= maxFailures || failures.some(isOurs)
  const lane = async () => {
    for (const item of queue) {
      if (isOver()) return
      await ask(item).catch((error: unknown) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, lane))
  signal.throwIfAborted()
  const ours = failures.find(isOurs)
  if (ours !== undefined) throw ours
  if (failures.length > 0) throw new AppError('upstream', [...new Set(failures.map(messageOf))].join('; '))
}

/** The upstream has no part in it, and the next item would fail like this one. */
function isOurs(error: unknown): boolean {
  return error instanceof AppError && error.code === 'unavailable'
}
