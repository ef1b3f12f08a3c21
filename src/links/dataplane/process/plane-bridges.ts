import { AppError, notFound } from '../../../platform/errors.ts'
import type { Parameters1 } from '../call-table.ts'
import type { PlaneCalls } from '../protocol.ts'
import type { DataThread } from './data-thread-handle.ts'
import type { Placed, ThreadPool } from './thread-pool.ts'

/** The bridges of the process: which data thread carries each. Calls on one bridge must not overlap. */
export class PlaneBridges {
  readonly #threads: ThreadPool<DataThread>
  readonly #bridges = new Map<string, Placed<DataThread>>()

  constructor(threads: ThreadPool<DataThread>) {
    this.#threads = threads
  }

  /** Opens a bridge, or configures one anew. Throws `conflict` when it is open in another group. */
  async open({ bridgeId, spec, group }: Parameters1<PlaneCalls, 'openBridge'>): Promise<void> {
    const present = this.#bridges.get(bridgeId)
    if (present !== undefined && present.group !== group) {
      throw new AppError('conflict', `Cannot move bridge "${bridgeId}" to another group`)
    }
    const thread = present?.thread ?? this.#threads.place(group)
    this.#bridges.set(bridgeId, { thread, group })
    await thread.call('openBridge', { bridgeId, spec })
  }

  async close(bridgeId: string): Promise<void> {
    const bridge = this.#bridges.get(bridgeId)
    if (bridge === undefined) return
    await bridge.thread.call('closeBridge', { bridgeId })
    this.#threads.release(bridge)
    this.#bridges.delete(bridgeId)
  }

  threadOf(bridgeId: string): DataThread {
    return this.#get(bridgeId).thread
  }

  /** Throws `conflict` unless the bridge is of that group, for only then it is sure to be in the same thread. */
  expectGroup(bridgeId: string, group: string | undefined): void {
    if (this.#get(bridgeId).group === group) return
    throw new AppError('conflict', `Cannot attach to bridge "${bridgeId}": the link is not of its group`)
  }

  #get(bridgeId: string): Placed<DataThread> {
    const bridge = this.#bridges.get(bridgeId)
    if (bridge === undefined) throw notFound('bridge', bridgeId)
    return bridge
  }
}
