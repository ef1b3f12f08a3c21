import { setTimeout as wait } from 'node:timers/promises'
import { FetchError } from './fetch-error.ts'

export interface RetryPolicy {
  /** How often something is tried at most, the first time included. */
  readonly attempts: number
  /** The pause after the first failure; each further one is twice as long. */
  readonly firstPauseMs: number
  readonly longestPauseMs: number
  /** The longest pause that an upstream may ask for. */
  readonly longestRetryAfterMs: number
  /** Gives numbers from 0 to 1: pauses are shortened by up to a half, so that clients do not come back in step. */
  readonly random: () => number
  /** Resolves after that time; rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 4,
  firstPauseMs: 500,
  longestPauseMs: 30_000,
  longestRetryAfterMs: 60_000,
  random: Math.random,
  sleep: async (ms, signal) => wait(ms, undefined, signal === undefined ? {} : { signal }),
}

export interface Retrying {
  readonly policy: RetryPolicy
  readonly attempts?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly onPause?: (error: FetchError, pauseMs: number) => void
}

/** Tries until it works, the failure is a lasting one or the attempts are used up; then throws the last failure. */
export async function withRetries<T>(
  { policy, attempts = policy.attempts, signal, onPause }: Retrying,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    signal?.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof FetchError) || !error.isTemporary || failures >= attempts) throw error
      const pauseMs = pauseAfter(error, failures, policy)
      onPause?.(error, pauseMs)
      await pause(pauseMs, policy, signal)
    }
  }
}

function pauseAfter(error: FetchError, failures: number, policy: RetryPolicy): number {
  const grown = Math.min(policy.firstPauseMs * 2 ** (failures - 1), policy.longestPauseMs)
  const jittered = grown * (1 - policy.random() / 2)
  const asked = Math.min(error.retryAfterMs ?? 0, policy.longestRetryAfterMs)
  return Math.round(Math.max(jittered, asked))
}

async function pause(ms: number, policy: RetryPolicy, signal: AbortSignal | undefined): Promise<void> {
  try {
    await policy.sleep(ms, signal)
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}

/** Reads `Retry-After` (RFC 9110 section 10.2.3): seconds or a date. */
export function parseRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined
  if (/^\d+$/.test(text.trim())) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
