import { readFile } from 'node:fs/promises'
import { isPcapHeader, pcapHeaderBytes } from './pcap-format.ts'

export interface CapturedFrame {
  readonly timeMs: number
  readonly frame: Buffer
}

/** Reads a whole pcap file; throws when anything in it is not whole. */
export async function readPcap(path: string): Promise<CapturedFrame[]> {
  const file = await readFile(path)
  if (!isPcapHeader(file.subarray(0, pcapHeaderBytes))) throw new Error(`"${path}" has no pcap header`)

  const frames: CapturedFrame[] = []
  let at = pcapHeaderBytes
  while (at < file.length) {
    const length = file.readUInt32LE(at + 8)
    if (length !== file.readUInt32LE(at + 12)) throw new Error('a frame was cut')
    const frame = file.subarray(at + 16, at + 16 + length)
    if (frame.length !== length) throw new Error('the last record is not whole')
    frames.push({ timeMs: file.readUInt32LE(at) * 1000 + file.readUInt32LE(at + 4) / 1000, frame })
    at += 16 + length
  }
  return frames
}
