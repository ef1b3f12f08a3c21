import type { PreparedFilter } from '../../filters/index.ts'
import { bytesIn, bytesOut, causeSlot, framesIn, framesOut, queuedBytes, queuedFrames } from '../counters.ts'
import type { CaptureTap } from './capture-tap.ts'
import { type ChunkPool, DelayQueue } from './delay-queue.ts'
import { FilterChain } from './filter-chain.ts'
import { type Inbox, maxFrameBytes } from './inbox.ts'
import type { Outbox } from './outbox.ts'
import type { FrameSink, Port } from './port.ts'
import type { SuperFrame } from './super-frame.ts'
import type { Timed } from './timetable.ts'
import type { WallClock } from './wall-clock.ts'

/** What all directions of a thread share. */
export interface DirectionTools {
  readonly outbox: Outbox
  readonly chunks: ChunkPool
  readonly clock: WallClock
  readonly queueLimitBytes: number
}

export interface DirectionState {
  readonly counters: Float64Array
  readonly seed: number
  /** The captures of the link, shared by both directions. */
  readonly taps: readonly CaptureTap[]
}

const releasedBatches = 4

const suspendedSlot = causeSlot('suspended')
const noPortSlot = causeSlot('no_port')
const emptySlot = causeSlot('empty')
const malformedSlot = causeSlot('malformed')
const oversizeSlot = causeSlot('oversize')
const queueFullSlot = causeSlot('queue_full')
const sendFailedSlot = causeSlot('send_failed')

/**
 * One direction of a link:
 *
 *   inbox -> suspended? -> filters -> (queue until departure) -> captures -> output port
 *     super-frame, when there is none of these ---------------------------> output port
 *
 * A frame that has passed the filters leaves at its time, in order, whatever is changed after that: the set of
 * filters, suspension (which closes the entry only) or the captures.
 */
export class Direction implements FrameSink, Timed {
  isSuspended = false
  output: Port | undefined
  place = -1
  plannedMs = Infinity

  readonly #tools: DirectionTools
  readonly #counters: Float64Array
  readonly #taps: readonly CaptureTap[]
  readonly #chain: FilterChain
  readonly #queue: DelayQueue

  constructor(tools: DirectionTools, { counters, seed, taps }: DirectionState) {
    this.#tools = tools
    this.#counters = counters
    this.#taps = taps
    this.#chain = new FilterChain(seed)
    this.#queue = new DelayQueue(tools.chunks, tools.queueLimitBytes)
  }

  /** When there is something to do (monotonic ms): a frame leaves, or a capture is handed over. Infinity when not. */
  get dueMs(): number {
    let due = this.#queue.firstDeparture
    for (const tap of this.#taps) due = Math.min(due, tap.flushAt)
    return due
  }

  setFilters(filters: readonly PreparedFilter[]): void {
    this.#chain.set(filters)
  }

  accept(inbox: Inbox, count: number, nowMs: number): void {
    let bytes = 0
    for (let index = 0; index < count; index += 1) {
      bytes += inbox.lengthOf(index)
      const cause = this.#admit(inbox, index, nowMs)
      if (cause !== 0) this.#count(cause, 1)
    }
    this.#count(framesIn, count)
    this.#count(bytesIn, bytes)
    this.#depart(nowMs)
    this.#noteQueue()
  }

  pass(frame: SuperFrame): boolean {
    const { output } = this
    if (output?.sendWhole === undefined || !this.#isOpen || frame.largestFrameBytes > maxFrameBytes) return false

    this.#count(framesIn, frame.frames)
    this.#count(bytesIn, frame.wireBytes)
    if (output.sendWhole(frame)) {
      this.#count(framesOut, frame.frames)
      this.#count(bytesOut, frame.wireBytes)
    } else {
      this.#count(sendFailedSlot, frame.frames)
    }
    return true
  }

  dropMalformed(lengthBytes: number): void {
    this.#count(framesIn, 1)
    this.#count(bytesIn, lengthBytes)
    this.#count(malformedSlot, 1)
  }

  /** Does what is due. Frames go whose time has come: a few batches of them, so that the other links get their turn. */
  catchUp(nowMs: number): void {
    if (this.#queue.firstDeparture <= nowMs) this.#release(nowMs)
    for (const tap of this.#taps) if (tap.flushAt <= nowMs) tap.flush()
  }

  /** Counts a frame that did not fit into what leads here. */
  refuse(lengthBytes: number): void {
    this.#count(framesIn, 1)
    this.#count(bytesIn, lengthBytes)
    this.#count(queueFullSlot, 1)
  }

  /** Throws away what waits. */
  clear(): void {
    this.#queue.clear()
  }

  /** Whether every frame leaves at once, and nobody looks at it. */
  get #isOpen(): boolean {
    return !this.isSuspended && this.#chain.isEmpty && this.#taps.length === 0 && this.#queue.frames === 0
  }

  #release(nowMs: number): void {
    const { outbox } = this.#tools
    for (let batch = 0; batch < releasedBatches && this.#queue.firstDeparture <= nowMs; batch += 1) {
      this.#queue.collect(nowMs, outbox)
      const count = outbox.count
      this.#depart(nowMs)
      this.#queue.remove(count)
    }
    this.#noteQueue()
  }

  /** Gives the slot of the cause for which the frame is dropped, or 0 when it leaves now or later. */
  #admit(inbox: Inbox, index: number, nowMs: number): number {
    const length = inbox.lengthOf(index)
    if (this.isSuspended) return suspendedSlot
    if (length === 0) return emptySlot
    if (length > maxFrameBytes) return oversizeSlot

    const offset = inbox.offsetOf(index)
    const cause = this.#chain.judge(inbox.slots.bytes, offset, length)
    if (cause !== 0) return cause

    const departure = this.#chain.depart(nowMs, length)
    if (departure <= nowMs && this.#queue.frames === 0) {
      this.#tools.outbox.add(inbox.slots, offset, length)
      return 0
    }
    return this.#queue.push(departure, inbox, index) ? 0 : queueFullSlot
  }

  /** Sends the outbox off. */
  #depart(nowMs: number): void {
    const { outbox } = this.#tools
    if (outbox.count === 0) return
    if (this.output === undefined) {
      this.#count(noPortSlot, outbox.count)
    } else {
      this.#record(nowMs)
      this.output.send(outbox)
      this.#count(framesOut, outbox.count - outbox.failedFrames)
      this.#count(bytesOut, outbox.bytes - outbox.failedBytes)
      this.#count(sendFailedSlot, outbox.failedFrames)
    }
    outbox.clear()
  }

  #record(nowMs: number): void {
    if (this.#taps.length === 0) return
    this.#tools.clock.read()
    for (const tap of this.#taps) tap.record(this.#tools.outbox, this.#tools.clock, nowMs)
  }

  #count(slot: number, amount: number): void {
    this.#counters[slot] = (this.#counters[slot] ?? 0) + amount
  }

  #noteQueue(): void {
    this.#counters[queuedFrames] = this.#queue.frames
    this.#counters[queuedBytes] = this.#queue.bytes
  }
}
