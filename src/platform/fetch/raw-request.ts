import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { AnswerBody } from './answer-body.ts'

export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: AnswerBody
}

type Controller = Dispatcher.DispatchController

/**
 * Sends one request and waits until its answer begins. When the signal aborts, request and body fail with its reason at
 * once, also while a connection is being made.
 */
export function requestRaw(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal | undefined,
): Promise<RawAnswer> {
  const handler = new AnswerHandler(signal)
  try {
    dispatcher.dispatch(options, handler)
  } catch (error) {
    handler.fail(error)
  }
  return handler.answer
}

class AnswerHandler implements Dispatcher.DispatchHandler {
  readonly answer: Promise<RawAnswer>
  readonly #begin: (answer: RawAnswer) => void
  readonly #refuse: (failure: unknown) => void
  readonly #signal: AbortSignal | undefined
  readonly #abort = () => this.fail(this.#signal?.reason)
  #controller: Controller | undefined
  #body: AnswerBody | undefined
  #isOver = false

  constructor(signal: AbortSignal | undefined) {
    const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>()
    this.answer = promise
    this.#begin = resolve
    this.#refuse = reject
    this.#signal = signal
    signal?.addEventListener('abort', this.#abort, { once: true })
    if (signal?.aborted === true) this.#abort()
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#isOver) this.#breakOff()
  }

  onResponseStart(controller: Controller, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    this.#body = new AnswerBody({
      pause: () => controller.pause(),
      resume: () => controller.resume(),
      abort: () => {
        this.#finish()
        this.#breakOff()
      },
    })
    this.#begin({ status, headers, body: this.#body })
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.#body?.push(chunk)
  }

  onResponseEnd(): void {
    this.#finish()
    this.#body?.end()
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.fail(error)
  }

  fail(failure: unknown): void {
    if (this.#isOver) return
    this.#finish()
    this.#refuse(failure)
    this.#body?.fail(failure)
    this.#breakOff()
  }

  #finish(): void {
    this.#isOver = true
    this.#signal?.removeEventListener('abort', this.#abort)
  }

  #breakOff(): void {
    this.#controller?.abort(new Error('the answer is not wanted any more'))
  }
}
