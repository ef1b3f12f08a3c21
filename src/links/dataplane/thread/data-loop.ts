import { performance } from 'node:perf_hooks'
import { clearDoorbell } from '../native/doorbell.ts'
import type { Libc } from '../native/libc.ts'
import type { CaptureTap } from './capture-tap.ts'
import type { Direction } from './direction.ts'
import { Inbox } from './inbox.ts'
import { Poller } from './poller.ts'
import type { Port } from './port.ts'

/** A port and the direction that its frames take. */
interface Entrance {
  readonly port: Port
  readonly direction: Direction
}

export interface DataLoopOptions {
  readonly libc: Libc
  readonly doorbell: number
  /** Called when the doorbell has rung: does what was asked meanwhile. */
  readonly obey: () => void
}

/**
 * The loop of a data thread: wait, read, pass on, let go what is due. It never returns to the thread's event loop
 * before `stop`.
 */
export class DataLoop {
  readonly #libc: Libc
  readonly #doorbell: number
  readonly #obey: () => void
  readonly #inbox: Inbox
  readonly #poller: Poller<Entrance | 'doorbell'>
  readonly #entrances = new Map<Port, Entrance>()
  readonly #directions = new Set<Direction>()
  readonly #taps = new Set<CaptureTap>()
  #isStopped = false

  constructor({ libc, doorbell, obey }: DataLoopOptions) {
    this.#libc = libc
    this.#doorbell = doorbell
    this.#obey = obey
    this.#inbox = new Inbox(libc)
    this.#poller = new Poller(libc)
    this.#poller.add(doorbell, 'doorbell')
  }

  addDirection(direction: Direction): void {
    this.#directions.add(direction)
  }

  removeDirection(direction: Direction): void {
    this.#directions.delete(direction)
  }

  addPort(port: Port, direction: Direction): void {
    const entrance = { port, direction }
    this.#entrances.set(port, entrance)
    this.#poller.add(port.fd, entrance)
  }

  removePort(port: Port): void {
    const entrance = this.#entrances.get(port)
    this.#entrances.delete(port)
    if (entrance !== undefined) this.#poller.remove(entrance)
  }

  get isCapturing(): boolean {
    return this.#taps.size > 0
  }

  addTap(tap: CaptureTap): void {
    this.#taps.add(tap)
  }

  removeTap(tap: CaptureTap): void {
    this.#taps.delete(tap)
  }

  stop(): void {
    this.#isStopped = true
  }

  run(): void {
    while (!this.#isStopped) {
      const ready = this.#poller.wait(this.#idleMs())
      if (ready > 0) this.#takeIn(ready)
      this.#letGo()
    }
  }

  /** How long nothing is due. */
  #idleMs(): number {
    let due = Infinity
    for (const direction of this.#directions) due = Math.min(due, direction.nextDeparture)
    for (const tap of this.#taps) due = Math.min(due, tap.flushAt)
    return due === Infinity ? Infinity : Math.max(0, due - performance.now())
  }

  /**
   * Reads a batch from each port that has something. What was asked is done first, so that it holds for them. A port
   * whose device is gone is waited for no more.
   */
  #takeIn(ready: number): void {
    if (this.#poller.readyAt(0) !== undefined) {
      clearDoorbell(this.#libc, this.#doorbell)
      this.#obey()
      // The table may have changed: the frames are found by the next wait.
      return
    }

    let left = ready
    for (let index = 1; index < this.#poller.size && left > 0; index += 1) {
      const source = this.#poller.readyAt(index)
      if (source === undefined || source === 'doorbell') continue
      left -= 1
      if (source.port.receive(this.#inbox, source.direction)) continue
      this.#poller.remove(source)
      return
    }
  }

  #letGo(): void {
    const nowMs = performance.now()
    for (const direction of this.#directions) if (direction.nextDeparture <= nowMs) direction.release(nowMs)
    for (const tap of this.#taps) if (tap.flushAt <= nowMs) tap.flush()
  }
}
