/**
 * Where a test frame carries its number (32 bits), the time it was sent (double, ms) and its link's index (16 bits):
 * behind Ethernet, IPv4, UDP.
 */
export const numberAt = 42
export const stampAt = 48
export const linkAt = 56

/** Writes the headers of an IPv4 UDP datagram to port 53, so that packet filters have something to look at. */
export function writeHeaders(bytes: Buffer, offset: number, sizeBytes: number): void {
  bytes.set([2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0], offset)
  bytes.set([0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2], offset + 14)
  bytes.writeUInt16BE(sizeBytes - 14, offset + 16)
  bytes.writeUInt16BE(4000, offset + 34)
  bytes.writeUInt16BE(53, offset + 36)
  bytes.writeUInt16BE(sizeBytes - 34, offset + 38)
}
