import { Worker } from 'node:worker_threads'
import { siblingModule } from '../../../platform/module-path.ts'
import { CallTable, type Reply } from '../call-table.ts'
import type { Libc } from '../native/libc.ts'
import type { PortSpec } from '../protocol.ts'
import type { NamespaceCalls } from './namespace-thread.ts'
import { type OpenedPort, openPort } from './open-port.ts'

interface NamespaceThread {
  readonly worker: Worker
  readonly calls: CallTable<NamespaceCalls>
}

/** Opens what ports stand on. The thread that enters namespaces is started at the first port that needs it. */
export class PortOpener {
  readonly #libc: Libc
  #thread: NamespaceThread | undefined

  constructor(libc: Libc) {
    this.#libc = libc
  }

  /** Opens a port's descriptor, which the caller owns. Throws as `openPort`, and `unavailable` for a namespace. */
  async open(port: PortSpec): Promise<OpenedPort> {
    const { namespace } = port
    if (namespace === undefined) return openPort(this.#libc, port)
    this.#thread ??= this.#startThread()
    return this.#thread.calls.call('openPort', { namespace, port })
  }

  close(fd: number): void {
    this.#libc.close(fd)
  }

  async stop(): Promise<void> {
    await this.#thread?.worker.terminate()
  }

  #startThread(): NamespaceThread {
    const worker = new Worker(siblingModule(import.meta, 'namespace-thread'), { name: 'namespaces' })
    const calls = new CallTable<NamespaceCalls>((call) => worker.postMessage(call))
    worker.on('message', (reply: Reply) => calls.settle(reply))
    worker.on('error', (error) => calls.abandon(error))
    worker.on('exit', () => {
      calls.abandon(new Error('Cannot open a port: the namespace thread ended'))
      this.#thread = undefined
    })
    return { worker, calls }
  }
}
