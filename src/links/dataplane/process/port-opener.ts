import { Worker } from 'node:worker_threads'
import { siblingModule } from '../../../platform/module-path.ts'
import { CallTable, type Reply } from '../call-table.ts'
import type { Libc } from '../native/libc.ts'
import { openUdpSocket, type UdpSocket } from '../native/udp-socket.ts'
import type { AttachedPort, PortSpec, UdpPortSpec } from '../protocol.ts'
import type { ThreadPort } from '../thread/thread-calls.ts'
import type { NamespaceCalls } from './namespace-thread.ts'

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

  /** Opens what a port stands on; the caller closes it. Throws as `openUdpSocket`, and `unavailable` for a namespace. */
  async open(spec: PortSpec): Promise<OpenPort> {
    if (spec.kind === 'bridge') return { spec, port: spec, attached: {} }
    const { fd, local } = await this.#openUdp(spec)
    return { spec: { ...spec, local }, port: { kind: 'udp', fd }, attached: { local } }
  }

  close({ port }: OpenPort): void {
    if (port.kind !== 'bridge') this.#libc.close(port.fd)
  }

  async stop(): Promise<void> {
    await this.#thread?.worker.terminate()
  }

  async #openUdp({ namespace, local, peer }: UdpPortSpec): Promise<UdpSocket> {
    if (namespace === undefined) return openUdpSocket(this.#libc, { local, peer })
    this.#thread ??= this.#startThread()
    return this.#thread.calls.call('openUdp', { namespace, endpoints: { local, peer } })
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
