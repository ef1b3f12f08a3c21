import type { FileHandle } from 'node:fs/promises'
import { isPcapHeader, pcapHeaderBytes, pcapRecordBytes, snapLength } from '../pcap-format.ts'

const readBytes = 1024 * 1024

/**
 * The length of a capture file up to the end of its last whole record: what a crash left behind that is not a record is
 * beyond it. 0 when the file does not even begin as one of ours.
 */
export async function wholeRecordsLength(file: FileHandle): Promise<number> {
  const buffer = Buffer.alloc(readBytes)
  const first = await file.read(buffer, 0, pcapHeaderBytes, 0)
  if (first.bytesRead < pcapHeaderBytes || !isPcapHeader(buffer.subarray(0, pcapHeaderBytes))) return 0

  let length = pcapHeaderBytes
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, readBytes, length)
    const whole = wholeRecordsIn(buffer.subarray(0, bytesRead))
    if (whole === 0) return length
    length += whole
  }
}

function wholeRecordsIn(bytes: Buffer): number {
  let end = 0
  while (end + pcapRecordBytes <= bytes.length) {
    const captured = bytes.readUInt32LE(end + 8)
    const next = end + pcapRecordBytes + captured
    if (captured > snapLength || next > bytes.length) return end
    end = next
  }
  return end
}
