import type { Region } from '../../../platform/native/region.ts'
import { fold, sumOf, writeChecksum } from './checksum.ts'
import { type Inbox, maxFrameBytes } from './inbox.ts'
import type { SuperFrame } from './super-frame.ts'

const flagsAt = 13
const finAndPush = 0x01 | 0x08
const congestionWindowReduced = 0x80

/** Where frames are laid. */
export type FrameSlots = Pick<Inbox, 'slots' | 'offsetOf' | 'setLength'>

/**
 * Lays one of the frames that a surveyed super-frame stands for into a slot, as it would have been on the wire: with
 * its own headers and checksums. Of one that is too long for a slot only the length is noted.
 */
export function layFrame(
  frame: SuperFrame,
  number: number,
  { inbox, slot }: { inbox: FrameSlots; slot: number },
): void {
  const start = number * frame.segmentBytes
  const isCut = frame.frames > 1
  const length = isCut ? Math.min(frame.length - start, frame.payloadAt + frame.segmentBytes) : frame.length
  inbox.setLength(slot, length)
  if (length > maxFrameBytes) return

  const { bytes } = frame.memory
  const at = inbox.offsetOf(slot)
  if (!isCut) {
    bytes.copy(inbox.slots.bytes, at, frame.at, frame.at + length)
    if (frame.needsChecksum) complete(frame, inbox.slots, { at, length })
    return
  }

  const payloadFrom = frame.at + frame.payloadAt + start
  bytes.copy(inbox.slots.bytes, at, frame.at, frame.at + frame.payloadAt)
  bytes.copy(inbox.slots.bytes, at + frame.payloadAt, payloadFrom, payloadFrom + length - frame.payloadAt)
  writeIp(frame, inbox.slots, { at, length, number })
  writeTransport(frame, inbox.slots.bytes, { at, length, number })
  complete(frame, inbox.slots, { at, length })
}

interface Place {
  readonly at: number
  readonly length: number
}

interface Segment extends Place {
  readonly number: number
}

/** Lengths, and for IPv4 the identification (RFC 6864: each packet its own) and the checksum of the header. */
function writeIp(frame: SuperFrame, memory: Region, { at, length, number }: Segment): void {
  const { bytes } = memory
  const ip = at + frame.ipAt
  if (!frame.isIp4) {
    bytes.writeUInt16BE(length - frame.ipAt - 40, ip + 4)
    return
  }
  bytes.writeUInt16BE(length - frame.ipAt, ip + 2)
  bytes.writeUInt16BE((bytes.readUInt16BE(ip + 4) + number) & 0xffff, ip + 4)
  bytes.writeUInt16BE(0, ip + 10)
  bytes.writeUInt16BE(~sumOf(memory, ip, at + frame.checksumFrom) & 0xffff, ip + 10)
}

/** What RFC 9293 (sequence number, FIN, PSH), RFC 3168 (CWR) and RFC 768 (length) want in each segment. */
function writeTransport(frame: SuperFrame, bytes: Buffer, { at, length, number }: Segment): void {
  const transport = at + frame.checksumFrom
  const transportBytes = length - frame.checksumFrom
  adjustPartialSum(bytes, at + frame.checksumAt, transportBytes - (frame.length - frame.checksumFrom))
  if (!frame.isTcp) {
    bytes.writeUInt16BE(transportBytes, transport + 4)
    return
  }
  bytes.writeUInt32BE((bytes.readUInt32BE(transport + 4) + number * frame.segmentBytes) >>> 0, transport + 4)
  let flags = bytes[transport + flagsAt] ?? 0
  if (number > 0) flags &= ~congestionWindowReduced
  if (number < frame.frames - 1) flags &= ~finAndPush
  bytes[transport + flagsAt] = flags
}

/** A partial checksum is the sum of the pseudo header, in which the length has changed by `difference`. */
function adjustPartialSum(bytes: Buffer, at: number, difference: number): void {
  bytes.writeUInt16BE(fold(bytes.readUInt16BE(at) + 0xffff + difference), at)
}

/** Completes a partial checksum (virtio 1.2, 5.1.6.2): the field already holds what is to be added. */
function complete(frame: SuperFrame, memory: Region, { at, length }: Place): void {
  writeChecksum(memory.bytes, at + frame.checksumAt, sumOf(memory, at + frame.checksumFrom, at + length))
}
