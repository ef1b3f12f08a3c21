import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { clearDoorbell } from '../native/doorbell.ts'
import { errno, errorName, errors, type Libc, loadLibc } from '../native/libc.ts'
import { Region } from '../native/region.ts'

/** A part of a file on its way into a socket; both descriptors are the sender's, which closes them at the end. */
export interface SendJob {
  readonly id: number
  readonly socket: number
  readonly file: number
  readonly start: number
  /** The last byte, which is sent too. */
  readonly end: number
}

export type SendOrder = { readonly job: SendJob } | { readonly cancel: number } | { readonly stop: true }

export interface SendResult {
  readonly id: number
  /** Absent when every byte has been taken by the kernel. */
  readonly failure?: string
}

interface Sending extends SendJob {
  position: number
}

const closeOnExec = 0o2000000
const readable = 1
const writable = 4
const addDescriptor = 1
const removeDescriptor = 2
const dataWord = process.arch === 'x64' ? 1 : 2
const eventWords = dataWord + 2
const maxReady = 64

/** So much goes into one socket before the others get their turn. */
const turnBytes = 1024 * 1024

/** Passes files to sockets inside the kernel (sendfile(2)), many at a time, waiting for whichever has room (epoll(7)). */
class SendLoop {
  readonly #libc: Libc = loadLibc()
  readonly #doorbell: number
  readonly #epoll: number
  readonly #events = new Region(maxReady * eventWords * 4)
  readonly #offset = new BigInt64Array(1)
  /** By the descriptor of the socket. */
  readonly #sendings = new Map<number, Sending>()
  #isStopped = false

  constructor(doorbell: number) {
    this.#doorbell = doorbell
    this.#epoll = this.#libc.epoll_create1(closeOnExec)
    this.#watch(doorbell, readable)
  }

  run(): void {
    while (!this.#isStopped) {
      const ready = this.#libc.epoll_wait(this.#epoll, this.#events.address, maxReady, -1)
      for (let index = 0; index < ready; index += 1)
        this.#serve(this.#events.words[index * eventWords + dataWord] ?? -1)
    }
    for (const sending of [...this.#sendings.values()]) this.#finish(sending, 'the server stops')
    this.#libc.close(this.#epoll)
  }

  #serve(fd: number): void {
    const sending = this.#sendings.get(fd)
    if (fd === this.#doorbell) this.#obey()
    else if (sending !== undefined) this.#pass(sending)
  }

  #obey(): void {
    clearDoorbell(this.#libc, this.#doorbell)
    for (;;) {
      const received: { message: SendOrder } | undefined = parentPort ? receiveMessageOnPort(parentPort) : undefined
      if (received === undefined) return
      this.#take(received.message)
    }
  }

  #take(order: SendOrder): void {
    if ('stop' in order) this.#isStopped = true
    else if ('job' in order) {
      this.#sendings.set(order.job.socket, { ...order.job, position: order.job.start })
      this.#watch(order.job.socket, writable)
    } else {
      const sending = [...this.#sendings.values()].find(({ id }) => id === order.cancel)
      if (sending !== undefined) this.#finish(sending, 'the reader has gone')
    }
  }

  #pass(sending: Sending): void {
    const count = Math.min(turnBytes, sending.end + 1 - sending.position)
    this.#offset[0] = BigInt(sending.position)
    const sent = this.#libc.sendfile(sending.socket, sending.file, this.#offset, count)
    if (sent > 0) sending.position += sent
    if (sending.position > sending.end) this.#finish(sending)
    else if (sent === 0) this.#finish(sending, 'the file is shorter than it was')
    else if (sent < 0 && errno() !== errors.EAGAIN && errno() !== errors.EINTR)
      this.#finish(sending, errorName(errno()))
  }

  #finish({ id, socket, file }: Sending, failure?: string): void {
    this.#sendings.delete(socket)
    this.#libc.epoll_ctl(this.#epoll, removeDescriptor, socket, new Uint32Array(eventWords))
    this.#libc.close(socket)
    this.#libc.close(file)
    const result: SendResult = { id, ...(failure === undefined ? {} : { failure }) }
    parentPort?.postMessage(result)
  }

  #watch(fd: number, events: number): void {
    const event = new Uint32Array(eventWords)
    event[0] = events
    event[dataWord] = fd
    this.#libc.epoll_ctl(this.#epoll, addDescriptor, fd, event)
  }
}

new SendLoop((workerData as { doorbell: number }).doorbell).run()
