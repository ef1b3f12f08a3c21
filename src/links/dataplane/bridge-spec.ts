import { AppError } from '../../platform/errors.ts'

/** What a bridge is: an Ethernet hub, or a switch that learns where stations are and keeps VLANs apart. */
export type BridgeSpec =
  | { readonly kind: 'hub'; readonly ports: readonly number[] }
  | {
      readonly kind: 'switch'
      readonly ports: readonly SwitchPort[]
      /** How long a station that is silent is remembered (IEEE 802.1Q, 8.8.3); 300 s by default. */
      readonly ageingMs?: number
    }

/**
 * A port of a switch.
 *
 * - `access`: every frame belongs to the port's VLAN and passes as it is; tags are payload.
 * - `dot1q`: frames of `vlan`, the native one, pass untagged, others with an 802.1Q tag.
 * - `qinq`: frames of `vlan` pass without an outer tag, others with one of `ethertype` (802.1ad: a service tag).
 */
export interface SwitchPort {
  readonly number: number
  readonly type: 'access' | 'dot1q' | 'qinq'
  /** 1 to 4094. */
  readonly vlan: number
  /** The type of the outer tag: 0x8100, 0x88a8, 0x9100 or 0x9200. Counts for `qinq` alone. */
  readonly ethertype: number
}

export interface BridgeStatistics {
  /** How many addresses are remembered. */
  readonly learntAddresses: number
  /** Frames that went to all ports but their own, of their VLAN. */
  readonly flooded: number
  /** Frames that went to the one port where their station is. */
  readonly forwarded: number
  /** Frames that went nowhere: malformed, of no VLAN of the port, or for a station at the port they came from. */
  readonly dropped: number
}

export interface LearntAddress {
  readonly vlan: number
  /** Such as `02:00:00:00:00:01`. */
  readonly address: string
  readonly port: number
  /** How long ago the station was last heard. */
  readonly ageMs: number
}

export const defaultAgeingMs = 300_000
const highestVlan = 4094
const highestPort = 65_535
const tagTypes: readonly number[] = [0x8100, 0x88a8, 0x9100, 0x9200]

/** Throws `invalid` that says what is wrong with a specification. */
export function checkBridge(spec: BridgeSpec): void {
  const numbers = portNumbersOf(spec)
  for (const number of numbers) {
    if (!isWithin(number, 0, highestPort)) throw refusal(`port ${number}: it must be from 0 to ${highestPort}`)
  }
  if (new Set(numbers).size < numbers.length) throw refusal('its ports: a number occurs twice')
  if (spec.kind === 'hub') return

  for (const port of spec.ports) checkSwitchPort(port)
  const { ageingMs = defaultAgeingMs } = spec
  if (!(ageingMs > 0)) throw refusal(`ageing time ${ageingMs}: it must be more than 0`)
}

export function portNumbersOf(spec: BridgeSpec): readonly number[] {
  return spec.kind === 'hub' ? spec.ports : spec.ports.map((port) => port.number)
}

function checkSwitchPort({ number, type, vlan, ethertype }: SwitchPort): void {
  if (!isWithin(vlan, 1, highestVlan))
    throw refusal(`VLAN ${vlan} of port ${number}: it must be from 1 to ${highestVlan}`)
  if (type === 'qinq' && !tagTypes.includes(ethertype)) {
    throw refusal(`tag type ${ethertype} of port ${number}: it must be 0x8100, 0x88a8, 0x9100 or 0x9200`)
  }
}

function isWithin(value: number, minimum: number, maximum: number): boolean {
  return Number.isInteger(value) && value >= minimum && value <= maximum
}

function refusal(what: string): AppError {
  return new AppError('invalid', `Cannot make a bridge with ${what}`)
}
