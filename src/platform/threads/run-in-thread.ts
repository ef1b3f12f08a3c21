import { Worker } from 'node:worker_threads'
import { AppError } from '../errors.ts'
import type { ThreadAnswer } from './answer-in-thread.ts'

export interface ThreadLimits {
  readonly signal: AbortSignal
  /** A thread has a heap of its own; one that takes more is ended, with an error whose code is `ERR_WORKER_OUT_OF_MEMORY`. */
  readonly heapMegabytes: number
}

/**
 * Does work that would hold everybody else up in a thread of its own.
 *
 * @param modulePath a module that calls `answerInThread`
 * @param order is copied to the thread, as structured clones are
 * @throws AppError what the work throws; the signal's reason when it aborts. The thread has ended in any case.
 */
export async function runInThread<Result>(
  modulePath: string,
  order: unknown,
  { signal, heapMegabytes }: ThreadLimits,
): Promise<Result> {
  signal.throwIfAborted()
  const worker = new Worker(modulePath, {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  })
  const stop = () => void worker.terminate()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const answer = await answerOf<Result>(worker, signal)
    if ('result' in answer) return answer.result
    throw new AppError(answer.failure.code, answer.failure.message)
  } finally {
    signal.removeEventListener('abort', stop)
    await worker.terminate()
  }
}

function answerOf<Result>(worker: Worker, signal: AbortSignal): Promise<ThreadAnswer<Result>> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', (error) => reject(signal.aborted ? signal.reason : error))
    worker.once('exit', () => reject(signal.aborted ? signal.reason : new Error('A thread ended without an answer')))
  })
}
