/**
 * The classic pcap file (pcap-savefile(5)): a header of 24 bytes, then for each frame a record header of 16 bytes and
 * the frame. Written little endian, with microseconds.
 */
export const pcapHeaderBytes = 24
export const pcapRecordBytes = 16
export const snapLength = 65_535

const magicMicroseconds = 0xa1b2c3d4
const linkTypeEthernet = 1

export function pcapHeader(): Buffer {
  const header = Buffer.alloc(pcapHeaderBytes)
  header.writeUInt32LE(magicMicroseconds, 0)
  header.writeUInt16LE(2, 4)
  header.writeUInt16LE(4, 6)
  header.writeUInt32LE(snapLength, 16)
  header.writeUInt32LE(linkTypeEthernet, 20)
  return header
}

/** Whether a file that starts with these bytes is one that `pcapHeader` began. */
export function isPcapHeader(bytes: Buffer): boolean {
  return bytes.equals(pcapHeader())
}
