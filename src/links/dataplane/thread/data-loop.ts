import { performance } from 'node:perf_hooks'
import { clearDoorbell } from '../../../platform/native/doorbell.ts'
import type { Libc } from '../../../platform/native/libc.ts'
import { Backlogs, type Entrance } from './backlogs.ts'
import type { Direction } from './direction.ts'
import { Inbox } from './inbox.ts'
import { Poller } from './poller.ts'
import type { Port } from './port.ts'
import { Timetable } from './timetable.ts'

export interface DataLoopOptions {
  readonly libc: Libc
  readonly doorbell: number
  /** Called when the doorbell has rung: does what was asked meanwhile. */
  readonly obey: () => void
}

/**
 * The loop of a data thread: wait, read, pass on, let go what is due. It never returns to the thread's event loop
 * before `stop`. A turn costs what is ready or due, however many links there are.
 */
export class DataLoop {
  /** How many captures run. */
  captures = 0
  readonly #libc: Libc
  readonly #doorbell: number
  readonly #obey: () => void
  readonly #inbox: Inbox
  readonly #poller: Poller<Entrance | 'doorbell'>
  readonly #entrances = new Map<Port, Entrance>()
  readonly #backlogs = new Backlogs((entrance) => this.#takeBatch(entrance))
  readonly #timetable = new Timetable<Direction>()
  #isStopped = false

  constructor({ libc, doorbell, obey }: DataLoopOptions) {
    this.#libc = libc
    this.#doorbell = doorbell
    this.#obey = obey
    this.#inbox = new Inbox(libc)
    this.#poller = new Poller(libc)
    this.#poller.add(doorbell, 'doorbell')
  }

  /** A direction that is no more has nothing to do. */
  forget(direction: Direction): void {
    this.#timetable.plan(direction, Infinity)
  }

  addPort(port: Port, direction: Direction): void {
    const entrance: Entrance = { port, direction, isListed: false }
    this.#entrances.set(port, entrance)
    if (port.fd === undefined) this.#backlogs.add(entrance)
    else this.#poller.add(port.fd, entrance)
  }

  removePort(port: Port): void {
    const entrance = this.#entrances.get(port)
    if (entrance === undefined) return
    this.#entrances.delete(port)
    if (port.fd === undefined) this.#backlogs.remove(entrance)
    else this.#poller.remove(port.fd)
  }

  stop(): void {
    this.#isStopped = true
  }

  run(): void {
    while (!this.#isStopped) {
      const ready = this.#poller.wait(this.#idleMs())
      if (ready > 0) this.#takeIn(ready)
      this.#backlogs.takeIn()
      this.#letGo()
    }
    this.#poller.close()
  }

  /** How long nothing is due. */
  #idleMs(): number {
    if (this.#backlogs.isWaiting) return 0
    const due = this.#timetable.firstMs
    return due === Infinity ? Infinity : Math.max(0, due - performance.now())
  }

  /** Reads a batch from each port that has something. */
  #takeIn(ready: number): void {
    for (let index = 0; index < ready; index += 1) {
      const source = this.#poller.readyAt(index)
      if (source === 'doorbell') {
        clearDoorbell(this.#libc, this.#doorbell)
        this.#obey()
        // Ports may be gone now. The frames of those that are left are found by the next wait.
        return
      }
      if (source !== undefined) this.#takeBatch(source)
    }
  }

  /** A port whose device is gone is waited for no more. */
  #takeBatch({ port, direction }: Entrance): void {
    const isThere = port.receive(this.#inbox, direction)
    if (!isThere && port.fd !== undefined) this.#poller.remove(port.fd)
    this.#timetable.plan(direction, direction.dueMs)
  }

  /** Has each direction do what is due. One that is not done with it then comes after the others, in the next turn. */
  #letGo(): void {
    const nowMs = performance.now()
    while (this.#timetable.firstMs < nowMs) {
      const { first } = this.#timetable
      first?.catchUp(nowMs)
      if (first !== undefined) this.#timetable.plan(first, Math.max(nowMs, first.dueMs))
    }
  }
}
