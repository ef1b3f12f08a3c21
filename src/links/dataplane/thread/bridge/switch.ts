import type { SwitchPort } from '../../bridge-spec.ts'
import type { BridgeCore, BridgeOutlet, BridgeTally } from './bridge.ts'
import type { BridgedFrame } from './bridged-frame.ts'
import { type MacTable, noPort } from './mac-table.ts'
import { classify, notMember, tagTypeAt } from './vlan-rules.ts'

const destinationAt = 0
const sourceAt = 6
/** The first bit on the wire of an address that names a group of stations (IEEE 802, 8.2.2), in its first word. */
const groupBit = 0x0100

export interface SwitchParts {
  readonly ports: readonly SwitchPort[]
  readonly outlets: readonly BridgeOutlet[]
  readonly table: MacTable
  readonly tally: BridgeTally
}

interface Plug {
  readonly port: SwitchPort
  readonly outlet: BridgeOutlet
}

/**
 * Forwards frames by what it has learnt of each VLAN (IEEE 802.1Q, 8.6 to 8.8): to the port where the destination was
 * last heard, else to all others of the VLAN.
 *
 * It takes no part in the protocols between bridges. As GNS3's switch, and unlike a bridge of the standard (8.6.3), it
 * passes frames for 01-80-C2-00-00-0x on as it does other groups', so that LACP, LLDP or STP run between the stations.
 */
export class Switch implements BridgeCore {
  readonly #plugs = new Map<number, Plug>()
  readonly #plugList: readonly Plug[]
  readonly #table: MacTable
  readonly #tally: BridgeTally

  constructor({ ports, outlets, table, tally }: SwitchParts) {
    for (const outlet of outlets) {
      const port = ports.find(({ number }) => number === outlet.number)
      if (port !== undefined) this.#plugs.set(port.number, { port, outlet })
    }
    this.#plugList = [...this.#plugs.values()]
    this.#table = table
    this.#tally = tally
  }

  forward(frame: BridgedFrame): void {
    const from = this.#plugs.get(frame.ingress)
    if (from === undefined || !classify(frame, from.port) || isGroup(frame, sourceAt)) {
      this.#tally.dropped += 1
      return
    }

    this.#table.learn(frame)
    const number = isGroup(frame, destinationAt) ? noPort : this.#table.find(frame)
    const to = this.#plugs.get(number)
    if (to === undefined) this.#flood(frame)
    else if (to !== from && this.#send(frame, to)) this.#tally.forwarded += 1
    else this.#tally.dropped += 1
  }

  #flood(frame: BridgedFrame): void {
    const { ingress } = frame
    for (const plug of this.#plugList) if (plug.port.number !== ingress) this.#send(frame, plug)
    this.#tally.flooded += 1
  }

  /** Gives false when the frame cannot leave there. */
  #send(frame: BridgedFrame, { port, outlet }: Plug): boolean {
    const tagType = tagTypeAt(port, frame.vlan)
    if (tagType === notMember || !frame.retag(tagType)) return false
    outlet.deliver(frame)
    return true
  }
}

function isGroup(frame: BridgedFrame, position: number): boolean {
  return (frame.wordAt(position) & groupBit) !== 0
}
