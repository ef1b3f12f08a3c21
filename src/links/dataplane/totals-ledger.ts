import { type DirectionStatistics, type DropCause, noneCounted } from './counters.ts'

/** All that was carried since the server began: counters that only grow, and what is there now. */
export interface PlaneTotals extends DirectionStatistics {
  readonly links: number
  readonly bridges: number
}

/**
 * Sums what processes of the data plane counted. Of one that ended by itself the last known counts are kept: what it
 * carried after them is lost.
 */
export class TotalsLedger {
  readonly #running = new Map<object, DirectionStatistics>()
  #ended = noneCounted()

  /** Notes what a process says that it has counted so far. */
  note(child: object, counted: DirectionStatistics): void {
    this.#running.set(child, counted)
  }

  /** A process has ended: what it counted last stays, and nothing waits in it. */
  close(child: object): void {
    const last = this.#running.get(child)
    if (last === undefined) return
    this.#running.delete(child)
    this.#ended = add(this.#ended, { ...last, queuedFrames: 0, queuedBytes: 0 })
  }

  get sum(): DirectionStatistics {
    return [...this.#running.values()].reduce(add, this.#ended)
  }
}

function add(a: DirectionStatistics, b: DirectionStatistics): DirectionStatistics {
  const causes = Object.keys(a.dropped) as DropCause[]
  return {
    framesIn: a.framesIn + b.framesIn,
    bytesIn: a.bytesIn + b.bytesIn,
    framesOut: a.framesOut + b.framesOut,
    bytesOut: a.bytesOut + b.bytesOut,
    queuedFrames: a.queuedFrames + b.queuedFrames,
    queuedBytes: a.queuedBytes + b.queuedBytes,
    dropped: Object.fromEntries(causes.map((cause) => [cause, (a.dropped[cause] ?? 0) + (b.dropped[cause] ?? 0)])),
  }
}
