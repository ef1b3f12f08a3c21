import { Worker } from 'node:worker_threads'
import { AppError } from '../errors.ts'
import type { ThreadAnswer } from './answer-in-thread.ts'

/** A thread has a heap of its own; one that takes more than this is ended. */
const maxHeapMegabytes = 1024

/**
 * Does work that would hold everybody else up in a thread of its own.
 *
 * @param modulePath a module that calls `answerInThread`
 * @param order is copied to the thread, as structured clones are
 * @throws AppError what the work throws; the signal's reason when it aborts. The thread has ended in any case.
 */
export async function runInThread<Result>(modulePath: string, order: unknown, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted()
  const worker = new Worker(modulePath, {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMegabytes },
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
