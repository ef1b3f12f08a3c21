import type { RunningCheck } from './xz-check.ts'

/** The polynomial of ECMA-182, its bits reversed. */
const polynomial = 0xc96c5795d7870f42n

const { low: lowTable, high: highTable } = tables()

function tables(): { readonly low: Int32Array; readonly high: Int32Array } {
  const low = new Int32Array(256)
  const high = new Int32Array(256)
  for (let byte = 0; byte < 256; byte++) {
    let value = BigInt(byte)
    for (let bit = 0; bit < 8; bit++) value = value & 1n ? (value >> 1n) ^ polynomial : value >> 1n
    low[byte] = Number(BigInt.asIntN(32, value))
    high[byte] = Number(BigInt.asIntN(32, value >> 32n))
  }
  return { low, high }
}

/** The checksum that xz writes by default; as two halves, for numbers have 53 bits. */
export function crc64(): RunningCheck {
  let low = -1
  let high = -1
  return {
    add(bytes) {
      for (let at = 0; at < bytes.length; at++) {
        const index = (low ^ (bytes[at] as number)) & 0xff
        low = ((low >>> 8) | (high << 24)) ^ (lowTable[index] as number)
        high = (high >>> 8) ^ (highTable[index] as number)
      }
    },
    digest() {
      const bytes = Buffer.alloc(8)
      bytes.writeInt32LE(~low)
      bytes.writeInt32LE(~high, 4)
      return bytes
    },
  }
}
