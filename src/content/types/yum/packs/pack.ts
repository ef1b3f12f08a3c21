import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'

/** The three lists of packages in a repository's metadata. */
export const listNames = ['primary', 'filelists', 'other'] as const
export type ListName = (typeof listNames)[number]

/** A package in the three lists, as it is published. */
export type PackageXml = Readonly<Record<ListName, string>>

/** The parts of some packages in one list, one after the other, as one zstd frame (RFC 8878). */
export interface Frame {
  readonly bytes: Buffer
  /** How long each part is, uncompressed. */
  readonly lengths: readonly number[]
}

/** Some packages, compressed together. */
export type Pack = Readonly<Record<ListName, Frame>>

/** Larger packs compress better, smaller ones are cheaper to change. */
export const packSize = 256

/** More than this is no pack of ours. */
export const largestFrameBytes = 1024 * 1024 * 1024

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

export async function makePack(packages: readonly PackageXml[]): Promise<Pack> {
  const [primary, filelists, other] = await Promise.all(
    listNames.map((name) => makeFrame(packages.map((xml) => Buffer.from(xml[name])))),
  )
  return { primary: primary as Frame, filelists: filelists as Frame, other: other as Frame }
}

async function makeFrame(parts: readonly Buffer[]): Promise<Frame> {
  return { bytes: await compressFrame(Buffer.concat(parts)), lengths: parts.map(({ length }) => length) }
}

export function compressFrame(bytes: Uint8Array): Promise<Buffer> {
  return compress(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 3 } })
}

/** The parts of a frame, in its order. */
export async function readFrame({ bytes, lengths }: Frame): Promise<Buffer[]> {
  const whole = await decompress(bytes, { maxOutputLength: largestFrameBytes })
  const parts: Buffer[] = []
  let start = 0
  for (const length of lengths) {
    parts.push(whole.subarray(start, start + length))
    start += length
  }
  return parts
}
