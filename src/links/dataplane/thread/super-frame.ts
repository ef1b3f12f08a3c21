import { Region } from '../../../platform/native/region.ts'

/** `struct virtio_net_hdr` (virtio 1.2, 5.1.6), in the machine's byte order, as the kernel's networking/tuntap has it. */
export const vnetHeaderBytes = 10
const flagNeedsChecksum = 1
const segmentationNone = 0
const segmentationTcp4 = 1
const segmentationTcp6 = 4
const segmentationUdp = 5
const segmentationEcn = 0x80

/** Space for the largest packet there is with its Ethernet header and tags. */
const mostFrameBytes = 65_536 + 64
const tagBytes = 4
/** Frames lie at a multiple of four, so that their checksums are summed by words. */
const readAt = 20

/** Linux sends no TCP segments of less than 36 bytes (tcp_min_snd_mss less the options). */
const mostSegments = 2048

const etherTypeAt = 12
const typeIp4 = 0x0800
const typeIp6 = 0x86dd
const typeTag = 0x8100
const typeServiceTag = 0x88a8
const ip4Bytes = 20
const ip6Bytes = 40

interface Transport {
  /** Its number in IP. */
  readonly protocol: number
  readonly leastBytes: number
  readonly checksumAt: number
}

/** RFC 9293 and RFC 768. */
const tcp: Transport = { protocol: 6, leastBytes: 20, checksumAt: 16 }
const udp: Transport = { protocol: 17, leastBytes: 8, checksumAt: 6 }

/** IPv6 headers between the first and TCP or UDP (RFC 8200, 4): hop-by-hop options, routing, destination options. */
const extensionHeaders: readonly number[] = [0, 43, 60]

/**
 * What one read of a TAP device or packet socket gives: a frame, or many that the sender's kernel left in one piece (a
 * super-frame), behind a header that says how to cut it and which checksum is still to be completed.
 *
 *   | room for a tag | virtio_net_hdr | frame ... |
 *
 * Nothing in it can be relied on before `survey`: it may come from a hostile namespace. Offsets count from the frame's
 * first byte. Used again for each read.
 */
export class SuperFrame {
  readonly memory = new Region(readAt + mostFrameBytes)
  /** Where the frame lies in memory. */
  at = readAt
  length = 0
  /** Whether it came whole. */
  isWhole = false

  /** How many frames it stands for. */
  frames = 1
  /** The length of the largest of them. */
  largestFrameBytes = 0
  /** What they are together, each with its headers. */
  wireBytes = 0

  needsChecksum = false
  /** Where the checksum begins to count, and where it belongs. */
  checksumFrom = 0
  checksumAt = 0

  /** Where the parts of a frame that is to be cut lie. */
  ipAt = 0
  payloadAt = 0
  /** How much of the payload each frame takes. */
  segmentBytes = 0
  isIp4 = false
  isTcp = false

  /** Where a read writes to: the header, then the frame. */
  readonly readOffset = readAt - vnetHeaderBytes
  readonly readAddress = this.memory.address + BigInt(this.readOffset)
  readonly readBytes = vnetHeaderBytes + mostFrameBytes
  readonly #taggedAddress = this.readAddress - BigInt(tagBytes)

  /** Where the header and the frame behind it lie. */
  get headerAddress(): bigint {
    return this.at === readAt ? this.readAddress : this.#taggedAddress
  }

  /** Notes that `count` bytes were read, header included. */
  filled(count: number): void {
    this.at = readAt
    this.length = Math.max(0, count - vnetHeaderBytes)
    this.isWhole = count >= vnetHeaderBytes && count < this.readBytes
  }

  /** Puts a VLAN tag that the kernel took off back behind the addresses. */
  insertTag(protocol: number, control: number): void {
    if (this.length < etherTypeAt) return
    const { bytes } = this.memory
    const headerAt = readAt - vnetHeaderBytes
    bytes.copyWithin(headerAt - tagBytes, headerAt, readAt + etherTypeAt)
    this.at = readAt - tagBytes
    this.length += tagBytes
    bytes.writeUInt16BE(protocol, this.at + etherTypeAt)
    bytes.writeUInt16BE(control, this.at + etherTypeAt + 2)
    if ((this.#header8(0) & flagNeedsChecksum) !== 0) this.#moveHeader16(6)
    if (this.#header8(1) !== segmentationNone) this.#moveHeader16(2)
  }

  /** Finds out what was read. Gives false when it makes no sense: a read that was cut, or a header that does not fit. */
  survey(): boolean {
    this.frames = 1
    this.largestFrameBytes = this.length
    this.wireBytes = this.length
    this.needsChecksum = (this.#header8(0) & flagNeedsChecksum) !== 0
    if (!this.isWhole || !this.#surveyChecksum()) return false
    const segmentation = this.#header8(1) & ~segmentationEcn
    return segmentation === segmentationNone || this.#surveySegments(segmentation)
  }

  #surveyChecksum(): boolean {
    if (!this.needsChecksum) return true
    this.checksumFrom = this.#header16(6)
    this.checksumAt = this.checksumFrom + this.#header16(8)
    return this.checksumAt + 2 <= this.length
  }

  /** A frame that is to be cut always has a partial checksum (virtio 1.2, 5.1.6.2), which is that of TCP or UDP. */
  #surveySegments(segmentation: number): boolean {
    this.isTcp = segmentation !== segmentationUdp
    const transport = this.isTcp ? tcp : udp
    if (!this.needsChecksum || !this.#surveyIp(segmentation) || !this.#surveyTransport(transport)) return false

    this.segmentBytes = this.#header16(4)
    const payload = this.length - this.payloadAt
    if (this.segmentBytes === 0 || payload <= 0) return false
    this.frames = Math.ceil(payload / this.segmentBytes)
    this.largestFrameBytes = Math.min(this.length, this.payloadAt + this.segmentBytes)
    this.wireBytes = this.length + (this.frames - 1) * this.payloadAt
    return this.frames <= mostSegments
  }

  /** Whether an IP packet of the right version lies behind at most two VLAN tags (IEEE 802.1Q). */
  #surveyIp(segmentation: number): boolean {
    let typeAt = etherTypeAt
    for (let tags = 0; tags < 2 && isTag(this.#frame16(typeAt)); tags += 1) typeAt += tagBytes
    this.ipAt = typeAt + 2
    const type = this.#frame16(typeAt)
    this.isIp4 = type === typeIp4
    if (segmentation === segmentationTcp4) return this.isIp4
    if (segmentation === segmentationTcp6) return type === typeIp6
    return segmentation === segmentationUdp && (this.isIp4 || type === typeIp6)
  }

  /** Whether the checksum begins where the header of TCP or UDP does, which is whole. */
  #surveyTransport({ protocol, leastBytes, checksumAt }: Transport): boolean {
    const from = this.checksumFrom
    if (from + leastBytes > this.length || this.checksumAt !== from + checksumAt) return false
    if ((this.isIp4 ? this.#ip4Protocol() : this.#ip6Protocol()) !== protocol) return false
    const headerBytes = this.isTcp ? (this.#frame8(from + 12) >> 4) * 4 : leastBytes
    this.payloadAt = from + headerBytes
    return headerBytes >= leastBytes
  }

  /** What lies where the checksum begins; -1 when that is not behind the header of a packet in one piece. */
  #ip4Protocol(): number {
    const headerBytes = (this.#frame8(this.ipAt) & 0xf) * 4
    const isWhole = (this.#frame16(this.ipAt + 6) & 0x3fff) === 0
    const fits = headerBytes >= ip4Bytes && this.ipAt + headerBytes === this.checksumFrom
    return isWhole && fits && this.#frame8(this.ipAt) >> 4 === 4 ? this.#frame8(this.ipAt + 9) : -1
  }

  #ip6Protocol(): number {
    if (this.#frame8(this.ipAt) >> 4 !== 6) return -1
    let next = this.#frame8(this.ipAt + 6)
    let at = this.ipAt + ip6Bytes
    while (at < this.checksumFrom && extensionHeaders.includes(next)) {
      next = this.#frame8(at)
      at += (this.#frame8(at + 1) + 1) * 8
    }
    return at === this.checksumFrom ? next : -1
  }

  #header8(offset: number): number {
    return this.memory.bytes[this.at - vnetHeaderBytes + offset] ?? 0
  }

  #header16(offset: number): number {
    return this.memory.bytes.readUInt16LE(this.at - vnetHeaderBytes + offset)
  }

  /** An offset in the header grows by a tag. */
  #moveHeader16(offset: number): void {
    const moved = (this.#header16(offset) + tagBytes) & 0xffff
    this.memory.bytes.writeUInt16LE(moved, this.at - vnetHeaderBytes + offset)
  }

  /** A byte of the frame; 0 beyond its end. */
  #frame8(offset: number): number {
    return offset < this.length ? (this.memory.bytes[this.at + offset] ?? 0) : 0
  }

  #frame16(offset: number): number {
    return (this.#frame8(offset) << 8) | this.#frame8(offset + 1)
  }
}

function isTag(type: number): boolean {
  return type === typeTag || type === typeServiceTag
}
