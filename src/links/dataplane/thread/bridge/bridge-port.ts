import { performance } from 'node:perf_hooks'
import { type ChunkPool, DelayQueue } from '../delay-queue.ts'
import type { Inbox } from '../inbox.ts'
import { Outbox } from '../outbox.ts'
import type { FrameReceiver, FrameSink, Port } from '../port.ts'
import type { Bridge, BridgeOutlet } from './bridge.ts'
import { BridgedFrame } from './bridged-frame.ts'

/** How much waits at one port for its link to take it in. */
const maxBacklogFrames = 2048
const maxBacklogBytes = 1024 * 1024

/** What all bridge ports of a thread share. */
export class BridgeTools {
  readonly frame = new BridgedFrame()
  readonly outbox = new Outbox()
  readonly chunks: ChunkPool

  constructor(chunks: ChunkPool) {
    this.chunks = chunks
  }
}

/**
 * The end of a link that is attached to a bridge. What the link sends goes to the bridge at once, and from there into
 * the backlogs of other ports, from which the data loop takes it a batch at a time: so frames that go round in a loop
 * of bridges never keep the loop from its other work.
 */
export class BridgePort implements Port, BridgeOutlet {
  readonly fd = undefined
  readonly number: number
  receiver: FrameReceiver | undefined
  readonly #bridge: Bridge
  readonly #tools: BridgeTools
  readonly #backlog: DelayQueue

  constructor(bridge: Bridge, number: number, tools: BridgeTools) {
    this.#bridge = bridge
    this.number = number
    this.#tools = tools
    this.#backlog = new DelayQueue(tools.chunks, maxBacklogBytes)
    bridge.join(this)
  }

  get hasFrames(): boolean {
    return this.#backlog.frames > 0
  }

  receive(inbox: Inbox, sink: FrameSink): boolean {
    const { outbox } = this.#tools
    this.#backlog.collect(0, outbox)
    const count = inbox.copy(outbox)
    outbox.clear()
    this.#backlog.remove(count)
    if (count > 0) sink.accept(inbox, count, performance.now())
    return true
  }

  send(outbox: Outbox): void {
    const { frame } = this.#tools
    frame.ingress = this.number
    frame.nowMs = performance.now()
    for (let index = 0; index < outbox.count; index += 1) {
      frame.load(outbox, index)
      this.#bridge.forward(frame)
    }
  }

  deliver(frame: BridgedFrame): void {
    const isRoom = this.#backlog.frames < maxBacklogFrames
    if (!isRoom || !this.#backlog.push(0, frame, 0)) this.receiver?.refuse(frame.lengthOf())
    else if (this.#backlog.frames === 1) this.receiver?.expectFrames()
  }

  leave(): void {
    this.#bridge.leave(this)
    this.#backlog.clear()
  }
}
