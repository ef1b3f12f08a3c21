import { errno, errorName, errors, type Libc } from '../../../platform/native/libc.ts'
import { Region } from '../../../platform/native/region.ts'

/** EPOLLIN and POLLIN. */
const readable = 1
const closeOnExec = 0o2000000
const addDescriptor = 1
const removeDescriptor = 2

/** `struct epoll_event`: the events, then 64 bits of ours. It is packed on x86-64 alone. */
const dataWord = process.arch === 'x64' ? 1 : 2
const eventWords = dataWord + 2
/** Few enough that what is due need not wait for long; who is left out comes first the next time. */
const maxReady = 64

/**
 * Waits for descriptors to have something to read; each stands for a `Source`. Costs the same for any number of them
 * (epoll(7)); the wait itself is in ppoll(2), as epoll_wait(2) counts whole milliseconds.
 */
export class Poller<Source> {
  readonly #libc: Libc
  readonly #epoll: number
  readonly #timeout = new Region(16)
  readonly #table = new Region(8)
  readonly #events = new Region(maxReady * eventWords * 4)
  /** By descriptor. */
  readonly #sources = new Map<number, Source>()

  constructor(libc: Libc) {
    this.#libc = libc
    this.#epoll = libc.epoll_create1(closeOnExec)
    if (this.#epoll < 0) throw new Error(`Cannot make an epoll: ${errorName(errno())}`)
    this.#table.words[0] = this.#epoll
    this.#table.words[1] = readable
  }

  add(fd: number, source: Source): void {
    const event = new Uint32Array(eventWords)
    event[0] = readable
    event[dataWord] = fd
    if (this.#libc.epoll_ctl(this.#epoll, addDescriptor, fd, event) < 0) {
      throw new Error(`Cannot wait for frames of a port: ${errorName(errno())}`)
    }
    this.#sources.set(fd, source)
  }

  /** The descriptor must still be open. */
  remove(fd: number): void {
    this.#sources.delete(fd)
    this.#libc.epoll_ctl(this.#epoll, removeDescriptor, fd, new Uint32Array(eventWords))
  }

  /** Waits for at most `timeoutMs` (Infinity: for ever). Gives how many descriptors are ready, of those it tells. */
  wait(timeoutMs: number): number {
    if (timeoutMs > 0) this.#sleep(timeoutMs)
    const ready = this.#libc.epoll_wait(this.#epoll, this.#events.address, maxReady, 0)
    if (ready < 0 && errno() !== errors.EINTR) throw refusal()
    return ready
  }

  /** What the `index`th of the ready descriptors stands for: it has something to read, or an error. */
  readyAt(index: number): Source | undefined {
    return this.#sources.get(this.#events.words[index * eventWords + dataWord] ?? -1)
  }

  /** Frees the epoll; the descriptors are their owners'. */
  close(): void {
    this.#libc.close(this.#epoll)
  }

  #sleep(timeoutMs: number): void {
    const result = this.#libc.ppoll(this.#table.address, 1, this.#timeoutAddress(timeoutMs), null)
    if (result < 0 && errno() !== errors.EINTR) throw refusal()
  }

  #timeoutAddress(timeoutMs: number): bigint | null {
    if (timeoutMs === Infinity) return null
    const seconds = Math.floor(timeoutMs / 1000)
    this.#timeout.words[0] = seconds
    this.#timeout.words[2] = Math.floor((timeoutMs - seconds * 1000) * 1e6)
    return this.#timeout.address
  }
}

function refusal(): Error {
  return new Error(`Cannot wait for frames: ${errorName(errno())}`)
}
