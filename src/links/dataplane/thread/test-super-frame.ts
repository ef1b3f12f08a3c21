import type { Libc } from '../../../platform/native/libc.ts'
import { Inbox } from './inbox.ts'
import { batchFrames } from './outbox.ts'
import { layFrame } from './segmenter.ts'
import { SuperFrame, vnetHeaderBytes } from './super-frame.ts'

export interface SuperFrameParts {
  readonly ip?: 4 | 6
  readonly transport?: 'tcp' | 'udp'
  /** VLAN tags, each by its protocol. */
  readonly tags?: readonly number[]
  /** Bytes of options: of TCP, and of IPv4 or an IPv6 extension header. */
  readonly tcpOptions?: number
  readonly ipOptions?: number
  readonly flags?: number
  readonly payload: Buffer
  readonly segmentBytes: number
}

const segmentationTcp = { 4: 1, 6: 4 } as const

/** The fields of a `virtio_net_hdr`. */
export function vnetHeader(
  flags = 0,
  segmentation = 0,
  [headerBytes = 0, segmentBytes = 0, start = 0, offset = 0] = [] as number[],
): Buffer {
  const header = Buffer.alloc(vnetHeaderBytes)
  header[0] = flags
  header[1] = segmentation
  for (const [index, value] of [headerBytes, segmentBytes, start, offset].entries()) {
    header.writeUInt16LE(value, 2 + 2 * index)
  }
  return header
}

/** A super-frame as the kernel gives it, header first: its checksum is the sum of the pseudo header. */
export function superFrame(parts: SuperFrameParts): Buffer {
  const { ip = 4, transport = 'tcp', payload, segmentBytes } = parts
  const isTcp = transport === 'tcp'
  const body = isTcp ? tcpHeader(parts) : udpHeader(parts)
  const rest = { protocol: isTcp ? 6 : 17, transportBytes: body.length + payload.length }
  const packet = ip === 4 ? ip4Header(parts, rest) : ip6Header(parts, rest)
  const offset = isTcp ? 16 : 6
  body.writeUInt16BE(pseudoSum(packet, rest), offset)

  const ethernet = ethernetHeader(parts)
  const start = ethernet.length + packet.length
  const segmentation = isTcp ? segmentationTcp[ip] : 5
  const header = vnetHeader(1, segmentation, [start + body.length, segmentBytes, start, offset])
  return Buffer.concat([header, ethernet, packet, body, payload])
}

/** Reads it as a port would; gives the frames it is cut into, undefined when it is malformed. */
export function cut(read: Buffer, frame = new SuperFrame()): Buffer[] | undefined {
  read.copy(frame.memory.bytes, frame.readOffset)
  frame.filled(read.length)
  return cutRead(frame)
}

const inbox = new Inbox({} as Libc)

export function cutRead(frame: SuperFrame): Buffer[] | undefined {
  if (!frame.survey()) return undefined
  return Array.from({ length: frame.frames }, (_, number) => {
    const slot = number % batchFrames
    layFrame(frame, number, { inbox, slot })
    const at = inbox.offsetOf(slot)
    return Buffer.from(inbox.slots.bytes.subarray(at, at + inbox.lengthOf(slot)))
  })
}

/** The sum of RFC 1071, the slow way. */
export function sum(bytes: Buffer): number {
  let total = 0
  for (const [index, byte] of bytes.entries()) {
    total += index % 2 === 0 ? byte << 8 : byte
    total = (total & 0xffff) + (total >>> 16)
  }
  return total
}

function pseudoSum(packet: Buffer, { protocol, transportBytes }: Rest): number {
  const addresses = packet[0] === 0x60 ? packet.subarray(8, 40) : packet.subarray(12, 20)
  const numbers = Buffer.alloc(4)
  numbers.writeUInt16BE(protocol, 0)
  numbers.writeUInt16BE(transportBytes, 2)
  return sum(Buffer.concat([addresses, numbers]))
}

function ethernetHeader({ ip = 4, tags = [] }: SuperFrameParts): Buffer {
  return Buffer.concat([
    Buffer.from('0200000000020200000000aa', 'hex'),
    ...tags.map((type, index) => Buffer.from([type >> 8, type & 0xff, 0x20, 10 + index])),
    Buffer.from(ip === 4 ? '0800' : '86dd', 'hex'),
  ])
}

function udpHeader({ payload }: SuperFrameParts): Buffer {
  const header = Buffer.from('1f9000350000ffff', 'hex')
  header.writeUInt16BE(8 + payload.length, 4)
  return header
}

function tcpHeader({ tcpOptions = 0, flags = 0x10 }: SuperFrameParts): Buffer {
  const header = Buffer.alloc(20 + tcpOptions, 1)
  header.writeUInt32BE(0xfffffff0, 4)
  header[12] = (header.length / 4) << 4
  header[13] = flags
  return header
}

interface Rest {
  readonly protocol: number
  readonly transportBytes: number
}

function ip4Header({ ipOptions = 0 }: SuperFrameParts, { protocol, transportBytes }: Rest): Buffer {
  const header = Buffer.alloc(20 + ipOptions, 1)
  header[0] = 0x40 | (header.length / 4)
  header.writeUInt16BE(header.length + transportBytes, 2)
  header.writeUInt16BE(0xfffe, 4)
  header.writeUInt16BE(0x4000, 6)
  header[9] = protocol
  return header
}

function ip6Header({ ipOptions = 0 }: SuperFrameParts, { protocol, transportBytes }: Rest): Buffer {
  const header = Buffer.alloc(40)
  header[0] = 0x60
  header.writeUInt16BE(ipOptions + transportBytes, 4)
  header[6] = ipOptions > 0 ? 0 : protocol
  if (ipOptions === 0) return header
  const extension = Buffer.alloc(ipOptions)
  extension[0] = protocol
  extension[1] = ipOptions / 8 - 1
  return Buffer.concat([header, extension])
}
