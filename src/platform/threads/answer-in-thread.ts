import { parentPort, workerData } from 'node:worker_threads'
import { AppError, type ErrorCode } from '../errors.ts'

/** What a thread says at its end. */
export type ThreadAnswer<Result> =
  | { readonly result: Result }
  | { readonly failure: { readonly code: ErrorCode; readonly message: string } }

/** For modules that `runInThread` starts: does the work that was ordered and answers. */
export function answerInThread<Order>(work: (order: Order) => Promise<unknown>): void {
  work(workerData as Order).then(
    (result) => parentPort?.postMessage({ result }),
    (error) => {
      // whatever else is thrown ends the thread, and is seen by whoever started it
      if (!(error instanceof AppError)) throw error
      parentPort?.postMessage({ failure: { code: error.code, message: error.message } })
    },
  )
}
