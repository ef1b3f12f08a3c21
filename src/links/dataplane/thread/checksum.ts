import type { Region } from '../../../platform/native/region.ts'

/** A ones' complement sum brought down to 16 bits. */
export function fold(sum: number): number {
  const once = (sum & 0xffff) + Math.floor(sum / 0x10000)
  return (once & 0xffff) + (once >>> 16)
}

/**
 * The Internet checksum's sum (RFC 1071), folded but not inverted, of the bytes `from` to `to` of memory. It is at most
 * 64 KiB of them.
 */
export function sumOf(memory: Region, from: number, to: number): number {
  if (from >= to) return 0
  if (from % 2 === 0) return swap(fold(sumEven(memory, from, to)))
  const rest = fold(sumEven(memory, from + 1, to))
  return fold(rest + ((memory.bytes[from] ?? 0) << 8))
}

/** Writes the inverse of a sum; 0, which would say that there is no checksum, as its equal 0xffff (RFC 768). */
export function writeChecksum(bytes: Buffer, at: number, sum: number): void {
  const checksum = ~fold(sum) & 0xffff
  bytes.writeUInt16BE(checksum === 0 ? 0xffff : checksum, at)
}

/** The sum of little-endian words, as the machine reads them; `from` is even. RFC 1071, 2 (B): swapped, it is right. */
function sumEven({ bytes, words }: Region, from: number, to: number): number {
  let sum = 0
  let at = from
  if (at % 4 !== 0 && at + 2 <= to) {
    sum += (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)
    at += 2
  }
  for (const end = to & ~3; at < end; at += 4) {
    const word = words[at >> 2] ?? 0
    sum += (word & 0xffff) + (word >>> 16)
  }
  for (; at < to; at += 1) sum += (bytes[at] ?? 0) << (at % 2 === 0 ? 0 : 8)
  return sum
}

function swap(sum: number): number {
  return ((sum & 0xff) << 8) | (sum >>> 8)
}
