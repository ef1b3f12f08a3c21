import { siblingModule } from '../../../../platform/module-path.ts'
import { runInThread } from '../../../../platform/threads/run-in-thread.ts'
import { describeRpm } from './describe-rpm.ts'
import type { Described, DescribeOrder } from './describe-thread.ts'
import type { RpmHeaders } from './read-rpm-headers.ts'
import { unreadable } from './unreadable-rpm.ts'

/** Nearly all packages have less, and are described in a few milliseconds. */
const largeBytes = 512 * 1024

/** For a header of the largest size that is read; others need far less. */
const heapMegabytes = 1536
const timeLimitMs = 60_000

/** Who is described now; one at a time, since each may need much memory. */
let busy: Promise<unknown> = Promise.resolve()

/**
 * Says what a package is, as `describeRpm` does, a large one in a thread of its own with bounds of memory and time: somebody may
 * have made it to keep the server busy.
 *
 * @throws AppError `invalid` also when that takes more than it may
 */
export async function describeApart(
  headers: RpmHeaders,
  file: { readonly sizeBytes: number; readonly fileTime: number },
): Promise<Described> {
  const { isSource, range, signature, main } = headers
  if (signature.bytes.length + main.bytes.length < largeBytes) {
    const { fields, details, fragments } = describeRpm(headers, file)
    return { fields, fragments, modularityLabel: details.modularityLabel }
  }
  const order = { isSource, range, signature: signature.bytes, main: main.bytes, file }
  const described = busy.then(() => describeInThread(order))
  busy = described.catch(() => undefined)
  return described
}

async function describeInThread(order: DescribeOrder): Promise<Described> {
  const tooLate = unreadable(`to describe it takes more than ${timeLimitMs / 1000} seconds`)
  const timer = new AbortController()
  const timeout = setTimeout(() => timer.abort(tooLate), timeLimitMs)
  try {
    const limits = { signal: timer.signal, heapMegabytes }
    return await runInThread<Described>(siblingModule(import.meta, 'describe-thread'), order, limits)
  } catch (error) {
    const isTooMuch = (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY'
    throw isTooMuch ? unreadable(`to describe it takes more than ${heapMegabytes} MB of memory`) : error
  } finally {
    clearTimeout(timeout)
  }
}
