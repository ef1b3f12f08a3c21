import { filterKinds } from '../filters/index.ts'

/** Why a frame did not get through that no filter decided. */
const ownCauses = ['suspended', 'no_port', 'empty', 'malformed', 'oversize', 'queue_full', 'send_failed'] as const

/** One of our own causes, or the type of the filter that dropped the frame. */
export type DropCause = string

/** Every cause for which frames are dropped: our own, then the filters by type. */
const dropCauses: readonly DropCause[] = [...ownCauses, ...filterKinds.map((kind) => kind.type)]

/** What was counted in one direction of a link, or in all of them together. */
export interface DirectionStatistics {
  readonly framesIn: number
  readonly bytesIn: number
  readonly framesOut: number
  readonly bytesOut: number
  /** What waits now. */
  readonly queuedFrames: number
  readonly queuedBytes: number
  /** Frames dropped, for every cause there is. */
  readonly dropped: Readonly<Record<DropCause, number>>
}

/** Counted since the link was opened, or since the data plane last had to be started again. */
export interface LinkStatistics {
  /** From end 0 to end 1. */
  readonly forward: DirectionStatistics
  readonly reverse: DirectionStatistics
}

/*
 * The memory of one link's counters, shared between the data thread that writes and whoever reads: doubles, the
 * forward direction first.
 *
 *   | framesIn | bytesIn | framesOut | bytesOut | queuedFrames | queuedBytes | dropped, by cause ... |
 */
export const framesIn = 0
export const bytesIn = 1
export const framesOut = 2
export const bytesOut = 3
export const queuedFrames = 4
export const queuedBytes = 5
const firstCause = 6
const slots = firstCause + dropCauses.length

/** The slot of a cause. */
export function causeSlot(cause: DropCause): number {
  const index = dropCauses.indexOf(cause)
  if (index < 0) throw new Error(`Cannot count drops by "${cause}": it is no cause`)
  return firstCause + index
}

export function createCounters(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * slots * Float64Array.BYTES_PER_ELEMENT)
}

/** The counters of one direction, 0 being forward. */
export function directionCounters(memory: SharedArrayBuffer, direction: 0 | 1): Float64Array {
  return new Float64Array(memory, direction * slots * Float64Array.BYTES_PER_ELEMENT, slots)
}

export function readCounters(memory: SharedArrayBuffer): LinkStatistics {
  return { forward: readDirection(directionCounters(memory, 0)), reverse: readDirection(directionCounters(memory, 1)) }
}

export function noneCounted(): DirectionStatistics {
  return readDirection(new Float64Array(slots))
}

function readDirection(counters: Float64Array): DirectionStatistics {
  const at = (slot: number) => counters[slot] ?? 0
  return {
    framesIn: at(framesIn),
    bytesIn: at(bytesIn),
    framesOut: at(framesOut),
    bytesOut: at(bytesOut),
    queuedFrames: at(queuedFrames),
    queuedBytes: at(queuedBytes),
    dropped: Object.fromEntries(dropCauses.map((cause, index) => [cause, at(firstCause + index)])),
  }
}

/** Adds up what links counted. */
export class CounterSum {
  readonly #sums = new Float64Array(slots)

  /** `isOver`: the link is closed, so nothing of it waits. */
  add(memory: SharedArrayBuffer, isOver = false): void {
    for (const direction of [0, 1] as const) {
      for (const [slot, value] of directionCounters(memory, direction).entries()) {
        const isCurrent = slot === queuedFrames || slot === queuedBytes
        if (!isOver || !isCurrent) this.#sums[slot] = (this.#sums[slot] ?? 0) + value
      }
    }
  }

  /** Adds another sum. */
  include(other: CounterSum): void {
    for (const [slot, value] of other.#sums.entries()) this.#sums[slot] = (this.#sums[slot] ?? 0) + value
  }

  read(): DirectionStatistics {
    return readDirection(this.#sums)
  }
}
