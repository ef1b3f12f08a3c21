import { AppError } from '../../../../platform/errors.ts'
import {
  type BridgeSpec,
  type BridgeStatistics,
  defaultAgeingMs,
  type LearntAddress,
  portNumbersOf,
} from '../../bridge-spec.ts'
import type { BridgedFrame } from './bridged-frame.ts'
import { Hub } from './hub.ts'
import { MacTable } from './mac-table.ts'
import { Switch } from './switch.ts'

/** Where a bridge's frames leave. */
export interface BridgeOutlet {
  readonly number: number
  /** Takes a copy of the frame as it leaves. */
  deliver(frame: BridgedFrame): void
}

export interface BridgeTally {
  flooded: number
  forwarded: number
  dropped: number
}

/** What decides where frames go. */
export interface BridgeCore {
  /** Delivers a frame to all outlets where it belongs. Allocates nothing. */
  forward(frame: BridgedFrame): void
}

/** A hub or switch with the ports that are attached to it. */
export class Bridge {
  readonly #id: string
  readonly #outlets = new Map<number, BridgeOutlet>()
  readonly #table: MacTable
  readonly #tally: BridgeTally = { flooded: 0, forwarded: 0, dropped: 0 }
  #spec: BridgeSpec
  #core: BridgeCore

  constructor(id: string, spec: BridgeSpec) {
    this.#id = id
    this.#spec = spec
    this.#table = new MacTable(ageingOf(spec))
    this.#core = this.#makeCore()
  }

  /** Replaces the configuration. Stations behind ports that change are forgotten; what is attached stays. */
  configure(spec: BridgeSpec): void {
    const before = configurations(this.#spec)
    const after = configurations(spec)
    for (const [number, text] of before) if (after.get(number) !== text) this.#table.forget(number)
    this.#spec = spec
    this.#table.ageingMs = ageingOf(spec)
    this.#core = this.#makeCore()
  }

  /** Attaches what is at a port. Throws `not_found` when there is no such port and `conflict` when it is taken. */
  join(outlet: BridgeOutlet): void {
    const { number } = outlet
    if (!portNumbersOf(this.#spec).includes(number)) {
      throw new AppError('not_found', `Cannot find port ${number} of bridge "${this.#id}"`)
    }
    if (this.#outlets.has(number)) {
      throw new AppError('conflict', `Cannot attach to port ${number} of bridge "${this.#id}": it is taken`)
    }
    this.#outlets.set(number, outlet)
    this.#core = this.#makeCore()
  }

  /** Takes away what is at a port, and forgets the stations there. */
  leave(outlet: BridgeOutlet): void {
    if (this.#outlets.get(outlet.number) !== outlet) return
    this.#outlets.delete(outlet.number)
    this.#table.forget(outlet.number)
    this.#core = this.#makeCore()
  }

  /** Passes a frame on that came in at the port `frame.ingress`. */
  forward(frame: BridgedFrame): void {
    this.#core.forward(frame)
  }

  statistics(nowMs: number): BridgeStatistics {
    return { learntAddresses: this.#table.list(nowMs).length, ...this.#tally }
  }

  macTable(nowMs: number): LearntAddress[] {
    return this.#table.list(nowMs)
  }

  #makeCore(): BridgeCore {
    const outlets = [...this.#outlets.values()]
    const spec = this.#spec
    if (spec.kind === 'switch') {
      return new Switch({ ports: spec.ports, outlets, table: this.#table, tally: this.#tally })
    }
    const present = outlets.filter(({ number }) => spec.ports.includes(number))
    return new Hub(present, this.#tally)
  }
}

function ageingOf(spec: BridgeSpec): number {
  return (spec.kind === 'switch' ? spec.ageingMs : undefined) ?? defaultAgeingMs
}

/** The configuration of each port, as a text to compare. */
function configurations(spec: BridgeSpec): Map<number, string> {
  if (spec.kind === 'hub') return new Map(spec.ports.map((number) => [number, spec.kind]))
  return new Map(spec.ports.map((port) => [port.number, `${port.type} ${port.vlan} ${port.ethertype}`]))
}
