import type { LearntAddress } from '../../bridge-spec.ts'
import type { BridgedFrame } from './bridged-frame.ts'

/** The most stations that one switch remembers; frames for others are flooded. */
const maxAddresses = 8192
const firstSlots = 64
/** How often a full table looks for stations that it may forget. */
const cleaningMs = 1000

const destinationAt = 0
const sourceAt = 6

/** No port: what a slot without a station holds, and what `find` gives for one that is not known. */
export const noPort = -1

interface Slots {
  /** The VLAN and the first two bytes of the address. */
  readonly high: Int32Array
  readonly low: Int32Array
  readonly ports: Int32Array
  readonly heardMs: Float64Array
}

/**
 * Behind which port each station was last heard: a hash table with open addressing, so that nothing is allocated for a
 * frame. Stations are forgotten by looking at the time when they are asked for.
 */
export class MacTable {
  ageingMs: number
  #slots = createSlots(firstSlots)
  #used = 0
  #cleanedMs = -Infinity

  constructor(ageingMs: number) {
    this.ageingMs = ageingMs
  }

  /** Remembers that the frame's source is behind the port where it came in. */
  learn(frame: BridgedFrame): void {
    const high = highOf(frame, sourceAt)
    const low = lowOf(frame, sourceAt)
    let slot = this.#slotOf(high, low)
    if (this.#slots.ports[slot] === noPort) {
      if (!this.#makeRoom(frame.nowMs)) return
      slot = this.#slotOf(high, low)
      this.#slots.high[slot] = high
      this.#slots.low[slot] = low
      this.#used += 1
    }
    this.#slots.ports[slot] = frame.ingress
    this.#slots.heardMs[slot] = frame.nowMs
  }

  /** The port behind which the frame's destination is; `noPort` when that is not known. */
  find(frame: BridgedFrame): number {
    const slot = this.#slotOf(highOf(frame, destinationAt), lowOf(frame, destinationAt))
    return this.#isFresh(slot, frame.nowMs) ? (this.#slots.ports[slot] ?? noPort) : noPort
  }

  /** Forgets the stations behind a port. */
  forget(port: number): void {
    this.#rebuild(this.#slots.ports.length, (slot) => this.#slots.ports[slot] !== port)
  }

  clear(): void {
    this.#slots = createSlots(firstSlots)
    this.#used = 0
  }

  list(nowMs: number): LearntAddress[] {
    const { high, low, ports, heardMs } = this.#slots
    const found: LearntAddress[] = []
    for (const [slot, port] of ports.entries()) {
      if (!this.#isFresh(slot, nowMs)) continue
      const address = showAddress(high[slot] ?? 0, low[slot] ?? 0)
      found.push({ vlan: (high[slot] ?? 0) >>> 16, address, port, ageMs: nowMs - (heardMs[slot] ?? 0) })
    }
    return found
  }

  /** The slot of a station, or the free one where it would be. */
  #slotOf(high: number, low: number): number {
    const { high: highs, low: lows, ports } = this.#slots
    const mask = ports.length - 1
    let slot = hash(high, low) & mask
    while (ports[slot] !== noPort && (highs[slot] !== high || lows[slot] !== low)) slot = (slot + 1) & mask
    return slot
  }

  #isFresh(slot: number, nowMs: number): boolean {
    if (this.#slots.ports[slot] === noPort) return false
    return nowMs - (this.#slots.heardMs[slot] ?? -Infinity) <= this.ageingMs
  }

  /** Sees to it that one more station can be remembered: half of the slots stay free. */
  #makeRoom(nowMs: number): boolean {
    if (this.#used < maxAddresses && this.#used * 2 < this.#slots.ports.length) return true
    if (this.#used < maxAddresses) {
      this.#rebuild(this.#slots.ports.length * 2, (slot) => this.#isFresh(slot, nowMs))
      return true
    }
    if (nowMs - this.#cleanedMs < cleaningMs) return false
    this.#cleanedMs = nowMs
    this.#rebuild(this.#slots.ports.length, (slot) => this.#isFresh(slot, nowMs))
    return this.#used < maxAddresses
  }

  /** Makes the table anew with the stations to keep. */
  #rebuild(size: number, isKept: (slot: number) => boolean): void {
    const old = this.#slots
    const kept = [...old.ports.keys()].filter((slot) => old.ports[slot] !== noPort && isKept(slot))
    this.#slots = createSlots(size)
    this.#used = kept.length
    for (const from of kept) {
      const to = this.#slotOf(old.high[from] ?? 0, old.low[from] ?? 0)
      this.#slots.high[to] = old.high[from] ?? 0
      this.#slots.low[to] = old.low[from] ?? 0
      this.#slots.ports[to] = old.ports[from] ?? noPort
      this.#slots.heardMs[to] = old.heardMs[from] ?? 0
    }
  }
}

function createSlots(size: number): Slots {
  return {
    high: new Int32Array(size),
    low: new Int32Array(size),
    ports: new Int32Array(size).fill(noPort),
    heardMs: new Float64Array(size),
  }
}

function highOf(frame: BridgedFrame, position: number): number {
  return (frame.vlan << 16) | frame.wordAt(position)
}

function lowOf(frame: BridgedFrame, position: number): number {
  return (frame.wordAt(position + 2) << 16) | frame.wordAt(position + 4)
}

/** Spreads addresses that differ in a few bits over the table (multiplicative hashing, Knuth 6.4). */
function hash(high: number, low: number): number {
  const mixed = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1)
  return mixed ^ (mixed >>> 15)
}

function showAddress(high: number, low: number): string {
  const digits = [high & 0xffff, low >>> 16, low & 0xffff].map((word) => word.toString(16).padStart(4, '0')).join('')
  return (digits.match(/../g) ?? []).join(':')
}
