import type { Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { siblingModule } from '../module-path.ts'
import { openDoorbell, ringDoorbell } from '../native/doorbell.ts'
import { errno, errorName, type Libc, loadLibc } from '../native/libc.ts'
import type { SendOrder, SendResult } from './send-thread.ts'

export interface FilePart {
  /** Open for reading; stays the caller's. */
  readonly fd: number
  readonly start: number
  /** The last byte, which is sent too. */
  readonly end: number
}

interface Waiting {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

interface Thread {
  readonly worker: Worker
  readonly doorbell: number
}

/**
 * Sends parts of files over sockets without their bytes passing through this program, in a thread that is started when it is
 * first needed. Only where there is sendfile(2), and for sockets without TLS.
 */
export class FileSender implements AsyncDisposable {
  readonly #libc: Libc | undefined
  readonly #waiting = new Map<number, Waiting>()
  #thread: Thread | undefined
  #lastId = 0

  constructor() {
    this.#libc = process.platform === 'linux' ? loadLibc() : undefined
  }

  /** Whether it can send over this socket, to which nothing else may be written meanwhile. */
  canSend(socket: Socket | null): socket is Socket {
    return this.#libc !== undefined && socket !== null && descriptorOf(socket) !== undefined
  }

  /** Resolves when the kernel has taken every byte. Rejects when the reader has gone or the signal aborts. */
  async send(socket: Socket, part: FilePart, signal: AbortSignal): Promise<void> {
    await flushed(socket)
    signal.throwIfAborted()
    const libc = this.#libc as Libc
    const { worker, doorbell } = this.#running(libc)
    this.#lastId += 1
    const id = this.#lastId
    const order = (message: SendOrder) => {
      worker.postMessage(message)
      ringDoorbell(libc, doorbell)
    }
    const cancel = () => order({ cancel: id })
    const copies = copiesOf(libc, socket, part.fd)
    const done = new Promise<void>((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    order({ job: { id, ...copies, start: part.start, end: part.end } })
    signal.addEventListener('abort', cancel, { once: true })
    try {
      await done
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const thread = this.#thread
    if (thread === undefined) return
    const ended = new Promise((resolve) => thread.worker.once('exit', resolve))
    thread.worker.postMessage({ stop: true } satisfies SendOrder)
    ringDoorbell(this.#libc as Libc, thread.doorbell)
    await ended
    this.#libc?.close(thread.doorbell)
  }

  #running(libc: Libc): Thread {
    this.#thread ??= this.#start(libc)
    return this.#thread
  }

  #start(libc: Libc): Thread {
    const doorbell = openDoorbell(libc)
    const worker = new Worker(siblingModule(import.meta, 'send-thread'), {
      name: 'send-file',
      workerData: { doorbell },
    })
    worker.unref()
    worker.on('message', ({ id, failure }: SendResult) => {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (failure === undefined) waiting?.resolve()
      else waiting?.reject(new Error(`Cannot send the file: ${failure}`))
    })
    worker.on('error', (error) => this.#abandon(error))
    return { worker, doorbell }
  }

  #abandon(error: unknown): void {
    this.#thread = undefined
    for (const { reject } of this.#waiting.values()) reject(new Error('Cannot send files', { cause: error }))
    this.#waiting.clear()
  }
}

/** Node has no public name for it. */
function descriptorOf(socket: Socket): number | undefined {
  if ('encrypted' in socket) return undefined
  const { _handle } = socket as unknown as { _handle?: { fd?: number } | null }
  return _handle?.fd !== undefined && _handle.fd >= 0 ? _handle.fd : undefined
}

/** Descriptors of the thread's own, which live on when this program closes its ones; both, or an error. */
function copiesOf(libc: Libc, socket: Socket, fd: number): { socket: number; file: number } {
  const file = copyOf(libc, fd)
  try {
    return { file, socket: copyOf(libc, descriptorOf(socket)) }
  } catch (error) {
    libc.close(file)
    throw error
  }
}

/** F_DUPFD_CLOEXEC (fcntl(2)): programs that are started meanwhile must not inherit it. */
const duplicateCloseOnExec = 1030

function copyOf(libc: Libc, fd: number | undefined): number {
  const copy = fd === undefined ? -1 : libc.fcntl(fd, duplicateCloseOnExec, 0)
  if (copy < 0)
    throw new Error(`Cannot send the file: ${fd === undefined ? 'the reader has gone' : errorName(errno())}`)
  return copy
}

/** Waits until everything written before is in the kernel's hands. */
function flushed(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => socket.write('', (error) => (error ? reject(error) : resolve())))
}
