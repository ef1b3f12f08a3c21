import { Region } from '../../../platform/native/region.ts'
import type { Inbox } from './inbox.ts'
import type { Outbox } from './outbox.ts'

/*
 * Frames wait in chunks of memory, one record behind the other:
 *
 *   | departure, ms (double) | length (word) | - | frame, padded to 8 bytes |
 */
const headerBytes = 16
const chunkBytes = 128 * 1024
const keptChunks = 64

/** Where a frame is copied from. */
export type FrameSource = Pick<Inbox, 'slots' | 'offsetOf' | 'lengthOf'>

interface Chunk {
  readonly region: Region
  readonly departures: Float64Array
  /** Where the next record is written. */
  end: number
  next: Chunk | undefined
}

/** Chunks that are not in use, shared by all queues of a thread. */
export class ChunkPool {
  readonly #free: Chunk[] = []

  take(): Chunk {
    const chunk = this.#free.pop()
    if (chunk !== undefined) return chunk
    const region = new Region(chunkBytes)
    return { region, departures: new Float64Array(region.bytes.buffer), end: 0, next: undefined }
  }

  giveBack(chunk: Chunk): void {
    chunk.end = 0
    chunk.next = undefined
    if (this.#free.length < keptChunks) this.#free.push(chunk)
  }
}

/**
 * Frames of one direction that leave later, first in, first out. Bounded in memory: what does not fit is refused. Takes
 * chunks as it fills and holds none when it is empty.
 */
export class DelayQueue {
  /** When the first frame leaves (monotonic ms); Infinity when the queue is empty. */
  firstDeparture = Infinity
  /** When the last frame leaves; -Infinity when the queue is empty. */
  lastDeparture = -Infinity
  frames = 0
  bytes = 0

  readonly #pool: ChunkPool
  readonly #limitBytes: number
  #usedBytes = 0
  #head: Chunk | undefined
  #tail: Chunk | undefined
  #headAt = 0

  constructor(pool: ChunkPool, limitBytes: number) {
    this.#pool = pool
    this.#limitBytes = limitBytes
  }

  /** Puts a copy of a frame of the inbox behind the others; it never leaves before them. Gives false when the queue is full. */
  push(departureMs: number, inbox: FrameSource, index: number): boolean {
    const length = inbox.lengthOf(index)
    const size = recordBytes(length)
    if (this.#usedBytes + size > this.#limitBytes) return false

    const chunk = this.#roomFor(size)
    const departure = Math.max(departureMs, this.lastDeparture)
    const at = chunk.end
    chunk.departures[at >> 3] = departure
    chunk.region.words[(at >> 2) + 2] = length
    const from = inbox.offsetOf(index)
    inbox.slots.bytes.copy(chunk.region.bytes, at + headerBytes, from, from + length)
    chunk.end = at + size

    if (this.frames === 0) this.firstDeparture = departure
    this.lastDeparture = departure
    this.frames += 1
    this.bytes += length
    this.#usedBytes += size
    return true
  }

  /** Lays the frames whose time has come into the outbox, as many as fit. They stay here until `remove`. */
  collect(nowMs: number, outbox: Outbox): void {
    let chunk = this.#head
    let at = this.#headAt
    while (chunk !== undefined && !outbox.isFull) {
      if (at === chunk.end) {
        chunk = chunk.next
        at = 0
        continue
      }
      if ((chunk.departures[at >> 3] ?? Infinity) > nowMs) return
      const length = chunk.region.words[(at >> 2) + 2] ?? 0
      outbox.add(chunk.region, at + headerBytes, length)
      at += recordBytes(length)
    }
  }

  /** Takes the first `count` frames out. */
  remove(count: number): void {
    for (let left = count; left > 0 && this.#head !== undefined; left -= 1) {
      this.#removeFirst(this.#head)
      if (this.#headAt === this.#head.end) this.#dropHead(this.#head)
    }

    if (this.#head === undefined) {
      this.#tail = undefined
      this.firstDeparture = Infinity
      this.lastDeparture = -Infinity
    } else {
      this.firstDeparture = this.#head.departures[this.#headAt >> 3] ?? Infinity
    }
  }

  /** Takes all frames out. */
  clear(): void {
    this.remove(this.frames)
  }

  #removeFirst(chunk: Chunk): void {
    const length = chunk.region.words[(this.#headAt >> 2) + 2] ?? 0
    const size = recordBytes(length)
    this.#headAt += size
    this.#usedBytes -= size
    this.bytes -= length
    this.frames -= 1
  }

  #dropHead(chunk: Chunk): void {
    this.#head = chunk.next
    this.#headAt = 0
    this.#pool.giveBack(chunk)
  }

  #roomFor(size: number): Chunk {
    const tail = this.#tail
    if (tail !== undefined && tail.end + size <= chunkBytes) return tail

    const chunk = this.#pool.take()
    if (tail === undefined) this.#head = chunk
    else tail.next = chunk
    this.#tail = chunk
    return chunk
  }
}

function recordBytes(length: number): number {
  return headerBytes + ((length + 7) & ~7)
}
