import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { AppError } from '../../../../platform/errors.ts'
import { siblingModule } from '../../../../platform/module-path.ts'
import type { PackageFields } from '../packages/package-fields.ts'
import type { PackageFragments } from '../packages/package-fragments.ts'
import { describeRpm } from './describe-rpm.ts'
import type { DescribeAnswer, DescribeOrder } from './describe-thread.ts'
import type { RpmHeaders } from './read-rpm-headers.ts'
import { unreadable } from './unreadable-rpm.ts'

/** Nearly all packages have less, and are described in a few milliseconds. */
const largeBytes = 512 * 1024

/** For a header of the largest size that is read; others need far less. */
const memoryMegabytes = 1536
const timeLimit = 60_000

interface Described {
  readonly fields: PackageFields
  readonly fragments: PackageFragments
}

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
  if (signature.bytes.length + main.bytes.length < largeBytes) return describeRpm(headers, file)
  const order = { isSource, range, signature: signature.bytes, main: main.bytes, file }
  const described = busy.then(() => describeInThread(order))
  busy = described.catch(() => undefined)
  return described
}

async function describeInThread(order: DescribeOrder): Promise<Described> {
  const worker = new Worker(siblingModule(import.meta, 'describe-thread'), {
    name: 'describe-rpm',
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
  })
  const ended = new AbortController()
  try {
    const answer = await Promise.race([answerOf(worker), tooLate(ended.signal)])
    if ('problem' in answer) throw new AppError('invalid', answer.problem)
    return answer
  } finally {
    ended.abort()
    await worker.terminate()
  }
}

function answerOf(worker: Worker): Promise<DescribeAnswer> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', (error: Error & { code?: string }) => {
      const isTooMuch = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      reject(isTooMuch ? unreadable(`to describe it takes more than ${memoryMegabytes} MB of memory`) : error)
    })
  })
}

async function tooLate(signal: AbortSignal): Promise<never> {
  await setTimeout(timeLimit, undefined, { signal })
  throw unreadable(`to describe it takes more than ${timeLimit / 1000} seconds`)
}
