import type { PreparedFilter } from '../../filters/index.ts'
import { directionCounters } from '../counters.ts'
import type { BlockExchange } from './capture-tap.ts'
import { CaptureTap } from './capture-tap.ts'
import type { DataLoop } from './data-loop.ts'
import { Direction, type DirectionTools } from './direction.ts'
import type { Port } from './port.ts'
import type { LinkEnd } from './thread-calls.ts'

export interface ThreadLinkOptions {
  readonly loop: DataLoop
  readonly tools: DirectionTools
  readonly blocks: BlockExchange
  readonly counters: SharedArrayBuffer
  readonly seed: number
}

/**
 * A link as its data thread sees it:
 *
 *   port 0 --- forward ---> port 1
 *   port 0 <-- reverse ---- port 1
 */
export class ThreadLink {
  readonly #loop: DataLoop
  readonly #blocks: BlockExchange
  readonly #directions: readonly [Direction, Direction]
  readonly #ports: [Port | undefined, Port | undefined] = [undefined, undefined]
  readonly #taps: CaptureTap[] = []

  constructor({ loop, tools, blocks, counters, seed }: ThreadLinkOptions) {
    this.#loop = loop
    this.#blocks = blocks
    const direction = (index: 0 | 1) =>
      new Direction(tools, { counters: directionCounters(counters, index), seed: seed + index, taps: this.#taps })
    this.#directions = [direction(0), direction(1)]
  }

  setFilters(filters: readonly PreparedFilter[]): void {
    for (const direction of this.#directions) direction.setFilters(filters)
  }

  setSuspended(suspended: boolean): void {
    for (const direction of this.#directions) direction.isSuspended = suspended
  }

  attach(end: LinkEnd, port: Port): void {
    this.detach(end)
    this.#loop.addPort(port, this.#directions[end])
    this.#ports[end] = port
    this.#directions[otherEnd(end)].output = port
  }

  detach(end: LinkEnd): void {
    const port = this.#ports[end]
    if (port === undefined) return
    this.#loop.removePort(port)
    port.leave?.()
    this.#directions[otherEnd(end)].output = undefined
    this.#ports[end] = undefined
  }

  startCapture(key: number): void {
    const tap = new CaptureTap(key, this.#blocks)
    this.#taps.push(tap)
    this.#loop.captures += 1
  }

  /** Hands over what is recorded and records no more. */
  stopCapture(key: number): void {
    const index = this.#taps.findIndex((tap) => tap.key === key)
    const [tap] = index < 0 ? [] : this.#taps.splice(index, 1)
    if (tap === undefined) return
    this.#loop.captures -= 1
    tap.flush()
  }

  close(): void {
    for (const tap of [...this.#taps]) this.stopCapture(tap.key)
    this.detach(0)
    this.detach(1)
    for (const direction of this.#directions) {
      direction.clear()
      this.#loop.forget(direction)
    }
  }
}

function otherEnd(end: LinkEnd): LinkEnd {
  return end === 0 ? 1 : 0
}
