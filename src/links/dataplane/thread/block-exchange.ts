import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { type Block, type BlockExchange, type CaptureTap, createBlock } from './capture-tap.ts'
import type { ReturnedBlock, ThreadEvent } from './thread-calls.ts'

/** Fresh memory is dear: the kernel clears every page of it. */
const keptBlocks = 128

export interface PortBlocksOptions {
  readonly returns: MessagePort
  readonly post: (event: ThreadEvent, transfer: readonly ArrayBuffer[]) => void
}

/** Hands blocks to the process's main thread, which writes them, and takes them back. */
export class PortBlocks implements BlockExchange {
  readonly #returns: MessagePort
  readonly #post: PortBlocksOptions['post']
  readonly #free: Block[] = []
  readonly #taps = new Map<number, CaptureTap>()

  constructor({ returns, post }: PortBlocksOptions) {
    this.#returns = returns
    this.#post = post
  }

  take(tap: CaptureTap): Block | undefined {
    this.#collect()
    if (tap.isOverdue) {
      this.#post({ event: 'captureOverrun', key: tap.key }, [])
      return undefined
    }
    return this.#free.pop() ?? createBlock()
  }

  handOver(tap: CaptureTap, block: Block, length: number): void {
    tap.outstanding += 1
    this.#taps.set(tap.key, tap)
    this.#post({ event: 'block', key: tap.key, block, length }, [block])
  }

  /** Lets the memory go that waits to be used again: no capture runs. */
  clear(): void {
    this.#collect()
    this.#free.length = 0
  }

  /** Takes back what has been written since. */
  #collect(): void {
    for (;;) {
      const returned: { message: ReturnedBlock } | undefined = receiveMessageOnPort(this.#returns)
      if (returned === undefined) return
      const { key, block } = returned.message
      if (this.#free.length < keptBlocks) this.#free.push(block)

      const tap = this.#taps.get(key)
      if (tap === undefined) continue
      tap.outstanding -= 1
      if (tap.outstanding === 0) this.#taps.delete(key)
    }
  }
}
