import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { siblingModule } from '../../../platform/module-path.ts'
import { openDoorbell, ringDoorbell } from '../../../platform/native/doorbell.ts'
import type { Libc } from '../../../platform/native/libc.ts'
import { CallTable, type Parameters1, type Reply, type Result } from '../call-table.ts'
import type { ReturnedBlock, ThreadCalls, ThreadEvent, ThreadStart } from '../thread/thread-calls.ts'

export interface DataThreadOptions {
  readonly libc: Libc
  readonly queueLimitBytes: number
  readonly onEvent: (event: ThreadEvent) => void
  /** Called when the thread ended by a bug. Its links carry nothing any more. */
  readonly onError: (error: unknown) => void
}

/** A data thread, as the main thread of the process sees it. */
export class DataThread {
  /** How many links and bridges it carries. */
  load = 0
  readonly #libc: Libc
  readonly #worker: Worker
  readonly #doorbell: number
  readonly #returns: MessagePort
  readonly #calls: CallTable<ThreadCalls>

  constructor({ libc, queueLimitBytes, onEvent, onError }: DataThreadOptions) {
    this.#libc = libc
    this.#doorbell = openDoorbell(libc)
    const { port1, port2 } = new MessageChannel()
    this.#returns = port1
    const start: ThreadStart = { doorbell: this.#doorbell, returns: port2, queueLimitBytes }
    this.#worker = new Worker(siblingModule(import.meta, '../thread/data-thread'), {
      name: 'data',
      workerData: start,
      transferList: [port2],
    })
    this.#calls = new CallTable((call) => {
      this.#worker.postMessage(call)
      ringDoorbell(libc, this.#doorbell)
    })
    this.#worker.on('message', (message: Reply | ThreadEvent) => {
      if ('event' in message) onEvent(message)
      else this.#calls.settle(message)
    })
    this.#worker.on('error', onError)
  }

  call<Name extends keyof ThreadCalls>(
    name: Name,
    parameters: Parameters1<ThreadCalls, Name>,
  ): Promise<Result<ThreadCalls, Name>> {
    return this.#calls.call(name, parameters)
  }

  /** Gives a written block back to be used again. */
  returnBlock(returned: ReturnedBlock): void {
    this.#returns.postMessage(returned, [returned.block])
  }

  /** Ends the thread. What its links were carrying is lost. */
  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#worker.once('exit', resolve))
    await this.call('stop', {})
    await ended
    this.#returns.close()
    this.#libc.close(this.#doorbell)
  }
}
