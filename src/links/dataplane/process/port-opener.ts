import { Worker } from 'node:worker_threads'
import { siblingModule } from '../../../platform/module-path.ts'
import type { Libc } from '../../../platform/native/libc.ts'
import { CallTable, type Reply } from '../call-table.ts'
import { type AttachedPort, type DescriptorPortSpec, type PortSpec, withLocal } from '../protocol.ts'
import type { ThreadPort } from '../thread/thread-calls.ts'
import type { NamespaceCalls } from './namespace-thread.ts'
import { type OpenedPort, openPort } from './open-port.ts'

interface NamespaceThread {
  readonly worker: Worker
  readonly calls: CallTable<NamespaceCalls>
}

export interface OpenPort {
  /** What it was opened from, with what was picked. */
  readonly spec: PortSpec
  readonly port: ThreadPort
  readonly attached: AttachedPort
}

/** Opens what ports stand on. The thread that enters namespaces is started at the first port that needs it. */
export class PortOpener {
  readonly #libc: Libc
  #thread: NamespaceThread | undefined

  constructor(libc: Libc) {
    this.#libc = libc
  }

  /** Opens what a port stands on; the caller closes it. Throws as `openPort`, and `unavailable` for a namespace. */
  async open(spec: PortSpec): Promise<OpenPort> {
    if (spec.kind === 'bridge') return { spec, port: spec, attached: {} }
    const { fd, attached } = await this.#openDescriptor(spec)
    return { spec: withLocal(spec, attached), port: { kind: spec.kind, fd }, attached }
  }

  close({ port }: OpenPort): void {
    if (port.kind !== 'bridge') this.#libc.close(port.fd)
  }

  async stop(): Promise<void> {
    await this.#thread?.worker.terminate()
  }

  async #openDescriptor(port: DescriptorPortSpec): Promise<OpenedPort> {
    const { namespace } = port
    if (namespace === undefined) return openPort(this.#libc, port)
    this.#thread ??= this.#startThread()
    return this.#thread.calls.call('openPort', { namespace, port })
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
