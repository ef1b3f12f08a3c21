import type { SwitchPort } from '../../bridge-spec.ts'
import { type BridgedFrame, headerBytes, tagBytes, untagged } from './bridged-frame.ts'

const customerTag = 0x8100
const typeAt = 12
const vlanMask = 0x0fff
/** Never to be used (IEEE 802.1Q, 9.6). */
const reservedVlan = 0xfff

/** What `tagTypeAt` gives for a frame that may not leave there. */
export const notMember = -1

/**
 * Decides the VLAN of a frame that came in at a port (IEEE 802.1Q, 6.9.1). Gives false when it is none that can be: too
 * short for its headers, or of the reserved VLAN.
 */
export function classify(frame: BridgedFrame, port: SwitchPort): boolean {
  if (frame.length < headerBytes) return false
  frame.vlan = port.vlan
  if (port.type === 'access' || frame.wordAt(typeAt) !== tagTypeOf(port)) return true

  if (frame.length < headerBytes + tagBytes) return false
  const control = frame.wordAt(typeAt + 2)
  const vlan = control & vlanMask
  // VLAN 0 is none: such a tag carries a priority only.
  const namesVlan = vlan !== 0
  frame.noteTag(tagTypeOf(port), control, namesVlan)
  if (namesVlan) frame.vlan = vlan
  return vlan !== reservedVlan
}

/** The type of the tag with which frames of a VLAN leave by a port; `untagged`, or `notMember`. */
export function tagTypeAt(port: SwitchPort, vlan: number): number {
  if (port.vlan === vlan) return untagged
  return port.type === 'access' ? notMember : tagTypeOf(port)
}

function tagTypeOf({ type, ethertype }: SwitchPort): number {
  return type === 'qinq' ? ethertype : customerTag
}
