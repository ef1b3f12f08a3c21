import type { FilterSet } from '../filters/index.ts'
import type { BridgeSpec } from './bridge-spec.ts'
import type { LinkEnd, PortSpec } from './protocol.ts'

export interface CaptureOptions {
  /** The pcap file, made anew. Its folder must exist. */
  readonly path: string
}

export interface WantedLink {
  filters: FilterSet
  suspended: boolean
  readonly seed: number
  readonly group: string | undefined
  readonly ports: [PortSpec | undefined, PortSpec | undefined]
  readonly captures: Map<string, CaptureOptions>
}

export interface WantedBridge {
  readonly spec: BridgeSpec
  readonly group: string
}

/** What the process has to be brought to, whenever it is started. */
export class WantedState {
  readonly links = new Map<string, WantedLink>()
  readonly bridges = new Map<string, WantedBridge>()

  get isEmpty(): boolean {
    return this.links.size === 0 && this.bridges.size === 0
  }

  /** The ends of links that are attached to a bridge. */
  attachedTo(bridgeId: string): [linkId: string, end: LinkEnd][] {
    const found: [string, LinkEnd][] = []
    for (const [linkId, { ports }] of this.links) {
      for (const end of [0, 1] as const) if (isOn(ports[end], bridgeId)) found.push([linkId, end])
    }
    return found
  }
}

/** What is asked for, with the local port that the present one has where any would do. */
export function asPresent(asked: PortSpec, present: PortSpec | undefined): PortSpec {
  if (asked.kind !== 'udp' || present?.kind !== 'udp' || asked.local.port !== 0) return asked
  return { ...asked, local: { ...asked.local, port: present.local.port } }
}

export function isOn(port: PortSpec | undefined, bridgeId: string): boolean {
  return port?.kind === 'bridge' && port.bridgeId === bridgeId
}
