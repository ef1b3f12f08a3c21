import type { BridgeCore, BridgeOutlet, BridgeTally } from './bridge.ts'
import type { BridgedFrame } from './bridged-frame.ts'

/** Every frame goes out of all other ports, whatever it is. */
export class Hub implements BridgeCore {
  readonly #outlets: readonly BridgeOutlet[]
  readonly #numbers: ReadonlySet<number>
  readonly #tally: BridgeTally

  constructor(outlets: readonly BridgeOutlet[], tally: BridgeTally) {
    this.#outlets = outlets
    this.#numbers = new Set(outlets.map(({ number }) => number))
    this.#tally = tally
  }

  forward(frame: BridgedFrame): void {
    if (!this.#numbers.has(frame.ingress)) {
      this.#tally.dropped += 1
      return
    }
    for (const outlet of this.#outlets) if (outlet.number !== frame.ingress) outlet.deliver(frame)
    this.#tally.flooded += 1
  }
}
