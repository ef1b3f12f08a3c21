import { notFound } from '../../../../platform/errors.ts'
import type { BridgeSpec } from '../../bridge-spec.ts'
import { Bridge } from './bridge.ts'
import { BridgePort, type BridgeTools } from './bridge-port.ts'

/** The bridges of a data thread. */
export class ThreadBridges {
  readonly #tools: BridgeTools
  readonly #bridges = new Map<string, Bridge>()

  constructor(tools: BridgeTools) {
    this.#tools = tools
  }

  /** Opens a bridge; configures it anew when it is open. */
  open(bridgeId: string, spec: BridgeSpec): void {
    const present = this.#bridges.get(bridgeId)
    if (present === undefined) this.#bridges.set(bridgeId, new Bridge(bridgeId, spec))
    else present.configure(spec)
  }

  /** What is attached to it has to be detached before. */
  close(bridgeId: string): void {
    this.#bridges.delete(bridgeId)
  }

  get(bridgeId: string): Bridge {
    const bridge = this.#bridges.get(bridgeId)
    if (bridge === undefined) throw notFound('bridge', bridgeId)
    return bridge
  }

  openPort(bridgeId: string, number: number): BridgePort {
    return new BridgePort(this.get(bridgeId), number, this.#tools)
  }
}
