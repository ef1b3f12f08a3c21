const table = new Int32Array(256).map((_, byte) => {
  let value = byte << 24
  for (let bit = 0; bit < 8; bit++) value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0)
  return value
})

/** Goes on with a checksum over more bytes; it begins with -1. It is that of zlib with the bits the other way round. */
export function bzip2Crc(crc: number, bytes: Uint8Array): number {
  let value = crc
  for (let at = 0; at < bytes.length; at++) {
    value = (value << 8) ^ (table[((value >>> 24) ^ (bytes[at] as number)) & 0xff] as number)
  }
  return value
}
