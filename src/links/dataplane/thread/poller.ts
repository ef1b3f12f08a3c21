import { errno, errorName, errors, type Libc } from '../native/libc.ts'
import { Region } from '../native/region.ts'

const readable = 1

/** Waits in ppoll(2) for descriptors to have something to read; each stands for a `Source`. */
export class Poller<Source> {
  readonly #libc: Libc
  readonly #timeout = new Region(16)
  readonly #sources: Source[] = []
  readonly #fds: number[] = []
  #table = new Region(8 * 16)

  constructor(libc: Libc) {
    this.#libc = libc
  }

  get size(): number {
    return this.#sources.length
  }

  add(fd: number, source: Source): void {
    this.#fds.push(fd)
    this.#sources.push(source)
    this.#rebuild()
  }

  remove(source: Source): void {
    const index = this.#sources.indexOf(source)
    if (index < 0) return
    this.#fds.splice(index, 1)
    this.#sources.splice(index, 1)
    this.#rebuild()
  }

  /** Waits for at most `timeoutMs` (Infinity: for ever). Gives how many descriptors are ready. */
  wait(timeoutMs: number): number {
    const ready = this.#libc.ppoll(this.#table.address, this.size, this.#timeoutAddress(timeoutMs), null)
    if (ready < 0 && errno() !== errors.EINTR) throw new Error(`Cannot wait for frames: ${errorName(errno())}`)
    return ready
  }

  /** The source at `index` when it had something, an error included, at the last wait. */
  readyAt(index: number): Source | undefined {
    const events = (this.#table.words[index * 2 + 1] ?? 0) >>> 16
    return events === 0 ? undefined : this.#sources[index]
  }

  #timeoutAddress(timeoutMs: number): bigint | null {
    if (timeoutMs === Infinity) return null
    const seconds = Math.floor(timeoutMs / 1000)
    this.#timeout.words[0] = seconds
    this.#timeout.words[2] = Math.floor((timeoutMs - seconds * 1000) * 1e6)
    return this.#timeout.address
  }

  /** `struct pollfd`: descriptor, then wanted and found events in one word. */
  #rebuild(): void {
    if (this.#table.words.length < 2 * this.size) this.#table = new Region(8 * this.size * 2)
    for (const [index, fd] of this.#fds.entries()) {
      this.#table.words[index * 2] = fd
      this.#table.words[index * 2 + 1] = readable
    }
  }
}
