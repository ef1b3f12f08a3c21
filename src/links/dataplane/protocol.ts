import type { FilterSet } from '../filters/index.ts'
import type { BridgeSpec, BridgeStatistics, LearntAddress } from './bridge-spec.ts'
import type { DirectionStatistics, LinkStatistics } from './counters.ts'
import type { Address } from './native/socket-address.ts'
import type { LinkEnd } from './thread/thread-calls.ts'

export type { Address } from './native/socket-address.ts'
export type { LinkEnd } from './thread/thread-calls.ts'

/** Where a link's end is joined to an emulator, a device or a bridge. */
export type PortSpec = DescriptorPortSpec | BridgePortSpec

/** What stands on a descriptor of the kernel's. */
export type DescriptorPortSpec = UdpPortSpec | TapPortSpec | InterfacePortSpec

/** A UDP socket that carries one bare Ethernet frame per datagram. */
export interface UdpPortSpec {
  readonly kind: 'udp'
  /** Path of a network namespace, such as `/proc/123/ns/net`; the server's own when absent. */
  readonly namespace?: string
  /** Where we listen. Port 0 picks one. */
  readonly local: Address
  /** The emulator's own socket: only its datagrams are taken. Hosts are IP addresses. */
  readonly peer: Address
}

/** A port of a bridge, which has to be of the link's group. */
export interface BridgePortSpec {
  readonly kind: 'bridge'
  readonly bridgeId: string
  readonly port: number
}

/**
 * A TAP device (the kernel's networking/tuntap). An existing one is joined; else one is made, which is down and lives as
 * long as the port.
 */
export interface TapPortSpec {
  readonly kind: 'tap'
  /** As for `UdpPortSpec`. */
  readonly namespace?: string
  /** The interface's name. */
  readonly name: string
}

/** An existing network interface, by a packet(7) socket: what it receives comes in, what leaves the link it sends. */
export interface InterfacePortSpec {
  readonly kind: 'interface'
  /** As for `UdpPortSpec`. */
  readonly namespace?: string
  readonly name: string
}

export interface AttachedPort {
  /** Where a UDP port listens. */
  readonly local?: Address
}

/** The port with what was picked for it, so that it is the same when it is attached again. */
export function withLocal(port: PortSpec, { local }: AttachedPort): PortSpec {
  return port.kind === 'udp' && local !== undefined ? { ...port, local } : port
}

/** What the process of the data plane is asked, by name. Each is done when it is answered. */
export type PlaneCalls = {
  openLink(parameters: {
    readonly linkId: string
    readonly filters: FilterSet
    readonly suspended: boolean
    readonly seed: number
    readonly group?: string
  }): Promise<void>
  closeLink(parameters: { readonly linkId: string }): Promise<void>
  attachPort(parameters: {
    readonly linkId: string
    readonly end: LinkEnd
    readonly port: PortSpec
  }): Promise<AttachedPort>
  detachPort(parameters: { readonly linkId: string; readonly end: LinkEnd }): Promise<void>
  setFilters(parameters: { readonly linkId: string; readonly filters: FilterSet }): Promise<void>
  setSuspended(parameters: { readonly linkId: string; readonly suspended: boolean }): Promise<void>
  /** `append`: the file is a capture that was cut short, which goes on. */
  startCapture(parameters: {
    readonly linkId: string
    readonly captureId: string
    readonly path: string
    readonly append: boolean
  }): Promise<void>
  stopCapture(parameters: { readonly linkId: string; readonly captureId: string }): Promise<void>
  statistics(parameters: { readonly linkId: string }): Promise<LinkStatistics>
  openBridge(parameters: {
    readonly bridgeId: string
    readonly spec: BridgeSpec
    readonly group: string
  }): Promise<void>
  /** What is attached to the bridge has to be detached before. */
  closeBridge(parameters: { readonly bridgeId: string }): Promise<void>
  bridgeStatistics(parameters: { readonly bridgeId: string }): Promise<BridgeStatistics>
  macTable(parameters: { readonly bridgeId: string }): Promise<LearntAddress[]>
  /** What all links counted together that the process has had. */
  totals(parameters: Record<string, never>): Promise<DirectionStatistics>
  /** Ends every capture and link, and gives the final totals; the process can be killed after its answer. */
  shutDown(parameters: Record<string, never>): Promise<DirectionStatistics>
}

/** What the process says unasked. */
export type PlaneEvent =
  | { readonly event: 'ready' }
  | {
      readonly event: 'captureFailed'
      readonly linkId: string
      readonly captureId: string
      readonly reason: string
    }

/** What the process is started with, as its one argument in JSON. */
export interface PlaneStart {
  readonly parentPid: number
  readonly threads: number
  readonly queueLimitBytes: number
}
