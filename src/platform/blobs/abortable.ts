/**
 * The same items, but waiting for the next one ends as soon as the signal aborts, with the signal's reason, even when
 * the source itself never answers again.
 */
export async function* abortable<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  signal?.throwIfAborted()
  const items = source[Symbol.asyncIterator]()
  let finished = false
  try {
    for (;;) {
      const step = await nextUnlessAborted(items, signal)
      if (step.done === true) {
        finished = true
        return
      }
      yield step.value
    }
  } finally {
    if (!finished) await close(items, signal)
  }
}

function nextUnlessAborted<T>(
  items: AsyncIterator<T>,
  signal: AbortSignal | undefined,
): Promise<IteratorResult<T, unknown>> {
  if (signal === undefined) return items.next()
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<T, unknown>>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  items.next().then(resolve, reject)
  return promise.finally(() => signal.removeEventListener('abort', abort))
}

/** After an abort a generator that hangs cannot be waited for: its `return` waits for the item that never comes. */
async function close(items: AsyncIterator<unknown>, signal: AbortSignal | undefined): Promise<void> {
  const closing = items.return?.()
  if (signal?.aborted === true) closing?.catch(() => {})
  else await closing
}
