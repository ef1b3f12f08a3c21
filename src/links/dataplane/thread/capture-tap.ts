import { pcapRecordBytes } from '../pcap-format.ts'
import type { Outbox } from './outbox.ts'
import type { WallClock } from './wall-clock.ts'

const blockBytes = 256 * 1024
/** At most this much of one capture waits to be written. */
const maxBlocks = 512
/** A frame is handed to the writer after this long at the latest. */
const flushMs = 40

/** Memory that a capture's records are written into. */
export type Block = ArrayBuffer

/** Where taps get empty blocks and hand full ones over. */
export interface BlockExchange {
  /** An empty block, for a tap that has `outstanding` of them unwritten. Undefined when there are too many. */
  take(tap: CaptureTap): Block | undefined
  handOver(tap: CaptureTap, block: Block, length: number): void
}

/** Records what leaves a link as pcap records, in blocks. Fails for good when blocks come back too slowly. */
export class CaptureTap {
  readonly key: number
  /** When the present block has to be handed over (monotonic ms); Infinity when there is nothing to. */
  flushAt = Infinity
  /** Blocks handed over and not written yet. */
  outstanding = 0
  hasFailed = false

  readonly #exchange: BlockExchange
  #block: Buffer<ArrayBuffer> | undefined
  #length = 0

  constructor(key: number, exchange: BlockExchange) {
    this.key = key
    this.#exchange = exchange
  }

  get isOverdue(): boolean {
    return this.outstanding >= maxBlocks
  }

  /** Records all frames of a batch that leaves now. */
  record(outbox: Outbox, clock: WallClock, nowMs: number): void {
    for (let index = 0; index < outbox.count && !this.hasFailed; index += 1) this.#recordFrame(outbox, index, clock)
    if (this.#length > 0 && this.flushAt === Infinity) this.flushAt = nowMs + flushMs
  }

  /** Hands over what was recorded so far. */
  flush(): void {
    this.flushAt = Infinity
    if (this.#block === undefined || this.#length === 0) return
    this.#exchange.handOver(this, this.#block.buffer, this.#length)
    this.#block = undefined
    this.#length = 0
  }

  #recordFrame(outbox: Outbox, index: number, clock: WallClock): void {
    const length = outbox.lengths[index] ?? 0
    const block = this.#roomFor(pcapRecordBytes + length)
    const source = outbox.sources[index]
    if (block === undefined || source === undefined) return

    const at = this.#length
    block.writeUInt32LE(clock.seconds, at)
    block.writeUInt32LE(clock.microseconds, at + 4)
    block.writeUInt32LE(length, at + 8)
    block.writeUInt32LE(length, at + 12)
    const from = outbox.offsets[index] ?? 0
    source.bytes.copy(block, at + pcapRecordBytes, from, from + length)
    this.#length = at + pcapRecordBytes + length
  }

  #roomFor(size: number): Buffer | undefined {
    if (this.#block !== undefined && this.#length + size > blockBytes) this.flush()
    if (this.#block === undefined) {
      const block = this.#exchange.take(this)
      if (block === undefined) this.hasFailed = true
      else this.#block = Buffer.from(block)
    }
    return this.#block
  }
}

export function createBlock(): Block {
  return new ArrayBuffer(blockBytes)
}
