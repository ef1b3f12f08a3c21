/**
 * Runs `work` for every item, at most `limit` at a time. The first failure stops the start of further ones and is
 * thrown when those that run have ended, so that nothing goes on behind the caller's back.
 */
export async function forEachBounded<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = []
  const iterator = items[Symbol.iterator]()
  const lane = async () => {
    for (let step = iterator.next(); step.done !== true; step = iterator.next()) {
      if (failures.length > 0) return
      await work(step.value).catch((error: unknown) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: limit }, lane))
  if (failures.length > 0) throw failures[0]
}

/** Parts of at most `size` items, in order. */
export function* inBatches<T>(items: readonly T[], size: number): Generator<readonly T[], void, undefined> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

export interface BatchLimits<T> {
  readonly size: number
  readonly weight: number
  readonly weightOf: (item: T) => number
}

/** Parts of at most `size` items that weigh at most `weight` together, in order; what is heavier comes alone. */
export function* inWeighedBatches<T>(
  items: Iterable<T>,
  { size, weight, weightOf }: BatchLimits<T>,
): Generator<readonly T[], void, undefined> {
  let batch: T[] = []
  let sum = 0
  for (const item of items) {
    const own = weightOf(item)
    if (batch.length > 0 && (batch.length === size || sum + own > weight)) {
      yield batch
      batch = []
      sum = 0
    }
    batch.push(item)
    sum += own
  }
  if (batch.length > 0) yield batch
}
