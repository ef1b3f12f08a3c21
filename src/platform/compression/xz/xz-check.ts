import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { crc64 } from './crc64.ts'

/** What proves the bytes of a block. */
export interface XzCheck {
  readonly sizeBytes: number
  begin(): RunningCheck
}

export interface RunningCheck {
  add(bytes: Uint8Array): void
  digest(): Buffer
}

/** By their number in the flags of a stream. */
export const xzChecks: Readonly<Record<number, XzCheck>> = {
  0: { sizeBytes: 0, begin: () => ({ add: () => {}, digest: () => Buffer.alloc(0) }) },
  1: { sizeBytes: 4, begin: beginCrc32 },
  4: { sizeBytes: 8, begin: crc64 },
  10: { sizeBytes: 32, begin: beginSha256 },
}

function beginCrc32(): RunningCheck {
  let value = 0
  return {
    add(bytes) {
      value = crc32(bytes, value)
    },
    digest: () => littleEndian(value),
  }
}

function beginSha256(): RunningCheck {
  const hash = createHash('sha256')
  return { add: (bytes) => void hash.update(bytes), digest: () => hash.digest() }
}

/** The four bytes of a number, the lowest first. */
export function littleEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value >>> 0)
  return bytes
}
