import { Region } from '../../../../platform/native/region.ts'
import type { FrameSource } from '../delay-queue.ts'
import { maxFrameBytes } from '../inbox.ts'
import type { Outbox } from '../outbox.ts'

/** Destination and source; a tag is behind them (IEEE 802.1Q, 9.3). */
const addressesBytes = 12
export const headerBytes = 14
export const tagBytes = 4
/** Priority and drop eligibility in a tag's control information (IEEE 802.1Q, 9.6). */
const priorityMask = 0xf000

/** The tag type of a frame that leaves without one. */
export const untagged = 0
/** What a frame cannot be asked to leave with: it has to be written anew. */
const noTagType = -1

/** The frame that a bridge has in hand: as it came, what the bridge makes of it, and as it leaves. One serves a thread. */
export class BridgedFrame implements FrameSource {
  /** As it came. */
  bytes: Buffer = Buffer.alloc(0)
  offset = 0
  length = 0
  /** The number of the port it came from. */
  ingress = 0
  nowMs = 0
  /** What a switch takes from it: its VLAN, the type of the tag that says so, and that tag's priority. */
  vlan = 0
  tagType = untagged
  priority = 0

  /** As it leaves, a `FrameSource` of one frame. */
  slots: Region
  #leavesAt = 0
  #leavesLength = 0
  #leavesTagType = untagged
  /** The tag type for which it may leave as it came. */
  #cameFor = untagged
  readonly #retagged = new Region(maxFrameBytes)
  #source: Region

  constructor() {
    this.#source = this.#retagged
    this.slots = this.#retagged
  }

  /** Takes a frame of an outbox in hand. It leaves as it came, unless it is given another tag. */
  load(outbox: Outbox, index: number): void {
    this.#source = outbox.sources[index] ?? this.#retagged
    this.bytes = this.#source.bytes
    this.offset = outbox.offsets[index] ?? 0
    this.length = outbox.lengths[index] ?? 0
    this.tagType = untagged
    this.priority = 0
    this.#cameFor = untagged
    this.#leaveAsItCame()
  }

  /** The 16 bits at `position` of the frame as it came. */
  wordAt(position: number): number {
    const at = this.offset + position
    return ((this.bytes[at] ?? 0) << 8) | (this.bytes[at + 1] ?? 0)
  }

  /** Notes the tag that it came with; `namesVlan` says whether its VLAN stands there. */
  noteTag(tagType: number, control: number, namesVlan: boolean): void {
    this.tagType = tagType
    this.priority = control & priorityMask
    this.#cameFor = namesVlan ? tagType : noTagType
    this.#leavesTagType = this.#cameFor
  }

  /** Makes it leave with a tag of this type and its VLAN, or without. Gives false when that makes it too long. */
  retag(tagType: number): boolean {
    if (tagType === this.#leavesTagType) return true
    if (tagType === this.#cameFor) this.#leaveAsItCame()
    else if (this.#lengthWith(tagType) > maxFrameBytes) return false
    else this.#rewrite(tagType)
    return true
  }

  offsetOf(): number {
    return this.#leavesAt
  }

  lengthOf(): number {
    return this.#leavesLength
  }

  #leaveAsItCame(): void {
    this.slots = this.#source
    this.#leavesAt = this.offset
    this.#leavesLength = this.length
    this.#leavesTagType = this.#cameFor
  }

  #lengthWith(tagType: number): number {
    const bareBytes = this.length - (this.tagType === untagged ? 0 : tagBytes)
    return bareBytes + (tagType === untagged ? 0 : tagBytes)
  }

  #rewrite(tagType: number): void {
    const target = this.#retagged.bytes
    const { bytes, offset, length } = this
    bytes.copy(target, 0, offset, offset + addressesBytes)
    let at = addressesBytes
    if (tagType !== untagged) {
      target.writeUInt16BE(tagType, at)
      target.writeUInt16BE(this.priority | this.vlan, at + 2)
      at += tagBytes
    }
    const from = addressesBytes + (this.tagType === untagged ? 0 : tagBytes)
    bytes.copy(target, at, offset + from, offset + length)
    this.slots = this.#retagged
    this.#leavesAt = 0
    this.#leavesLength = this.#lengthWith(tagType)
    this.#leavesTagType = tagType
  }
}
