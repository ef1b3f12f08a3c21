import { AppError } from '../errors.ts'
import { ByteSource } from './byte-source.ts'
import { decompressBzip2 } from './bzip2/decompress-bzip2.ts'
import { compressionOf, longestMagic } from './compression-kinds.ts'
import { decompressGzip } from './decompress-gzip.ts'
import { decompressLzma } from './decompress-lzma.ts'
import { decompressZstd } from './decompress-zstd.ts'
import type { Decompressor } from './decompressor.ts'
import { decompressXz } from './xz/decompress-xz.ts'

export interface DecompressOptions {
  /** What the bytes are called in messages. */
  readonly name: string
  /** More is an error, however little it was made from. */
  readonly maxBytes: number
  readonly signal: AbortSignal
}

const decompressors: Readonly<Record<ReturnType<typeof compressionOf>, Decompressor>> = {
  bzip2: decompressBzip2,
  gzip: decompressGzip,
  lzma: decompressLzma,
  xz: decompressXz,
  zstd: decompressZstd,
  none: passThrough,
}

/**
 * Opens bytes that may be compressed, which their beginning tells: gzip, zstd, xz, bzip2, lzma, or not at all. Memory
 * is bounded whatever they are, and nothing is read ahead of whoever reads this.
 *
 * @throws AppError `upstream` that names the bytes when they are broken, end too early, have something behind their end,
 * or become more than is wanted; `unavailable` when the program is missing that opens lzma
 */
export async function* decompress(
  content: AsyncIterable<Uint8Array>,
  { name, maxBytes, signal }: DecompressOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = new ByteSource(content)
  try {
    const kind = compressionOf(await source.peek(longestMagic))
    const wrong = (problem: string, cause?: unknown) =>
      new AppError('upstream', `Cannot open ${name}: ${problem}`, { cause })
    let sizeBytes = 0
    for await (const chunk of decompressors[kind](source, { wrong, signal })) {
      signal.throwIfAborted()
      sizeBytes += chunk.byteLength
      if (sizeBytes > maxBytes) throw wrong(`it has more than ${maxBytes} bytes`)
      yield chunk
    }
  } finally {
    await source.close()
  }
}

async function* passThrough(source: ByteSource): AsyncGenerator<Uint8Array> {
  for (let chunk = await source.readChunk(); chunk !== undefined; chunk = await source.readChunk()) yield chunk
}
