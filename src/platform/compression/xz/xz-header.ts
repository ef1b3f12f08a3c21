import { crc32 } from 'node:zlib'
import { littleEndian } from './xz-check.ts'

/** What xz takes at its highest level. */
const maxDictionaryBytes = 64 * 1024 * 1024

export interface BlockHeader {
  readonly packedBytes: number | undefined
  readonly sizeBytes: number | undefined
  readonly dictionaryBytes: number
}

/** Reads a whole block header; what is wrong with it, if anything is. */
export function parseBlockHeader(bytes: Buffer): BlockHeader | string {
  const end = bytes.length - 4
  if (!littleEndian(crc32(bytes.subarray(0, end))).equals(bytes.subarray(end))) return 'it is broken'
  const flags = bytes[1] as number
  if ((flags & 0x3f) !== 0) return 'it has filters that are not known'
  const reader = new HeaderReader(bytes.subarray(0, end))
  const packedBytes = (flags & 0x40) === 0 ? undefined : reader.next()
  const sizeBytes = (flags & 0x80) === 0 ? undefined : reader.next()
  // the only filter is LZMA2, whose one property is how large its dictionary is
  if (reader.next() !== 0x21 || reader.next() !== 1) return 'it has filters that are not known'
  const dictionaryBytes = dictionaryOf(reader.byte())
  if (reader.isBroken || reader.hasMore()) return 'it is broken'
  if (dictionaryBytes > maxDictionaryBytes) return `it needs more than ${maxDictionaryBytes} bytes of memory`
  return { packedBytes, sizeBytes, dictionaryBytes }
}

function dictionaryOf(property: number): number {
  return property > 40 ? Number.POSITIVE_INFINITY : (2 | (property & 1)) * 2 ** (Math.floor(property / 2) + 11)
}

class HeaderReader {
  isBroken = false
  readonly #bytes: Buffer
  #at = 2

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  next(): number {
    const found = readVarint(this.#bytes, this.#at)
    if (found === undefined) this.isBroken = true
    this.#at = found?.end ?? this.#bytes.length
    return found?.value ?? 0
  }

  byte(): number {
    if (this.#at >= this.#bytes.length) this.isBroken = true
    return this.#bytes[this.#at++] ?? 0
  }

  /** Whether something else than padding follows. */
  hasMore(): boolean {
    return this.#bytes.subarray(this.#at).some((byte) => byte !== 0)
  }
}

/** A number in groups of seven bits, the lowest first; undefined when there is none, or none that can be counted. */
export function readVarint(
  bytes: Uint8Array,
  from: number,
): { readonly value: number; readonly end: number } | undefined {
  let value = 0
  for (let at = from; at < Math.min(bytes.length, from + 9); at++) {
    const byte = bytes[at] as number
    value += (byte & 0x7f) * 2 ** (7 * (at - from))
    if (byte >= 0x80) continue
    return Number.isSafeInteger(value) && (byte !== 0 || at === from) ? { value, end: at + 1 } : undefined
  }
  return undefined
}
