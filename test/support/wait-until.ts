import { setTimeout } from 'node:timers/promises'

/** Waits for a condition, asking for it every few milliseconds; fails with `what` when it does not come true in time. */
export async function waitUntil<T>(
  what: string,
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = 20_000,
): Promise<T> {
  const end = Date.now() + timeoutMs
  while (true) {
    const value = await condition()
    if (value !== undefined && value !== false) return value
    if (Date.now() > end) throw new Error(`Waited ${timeoutMs} ms in vain for: ${what}`)
    await setTimeout(10)
  }
}
