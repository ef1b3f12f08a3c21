import { constants, createZstdDecompress } from 'node:zlib'
import type { ByteSource } from './byte-source.ts'
import type { DecompressorContext } from './decompressor.ts'
import { outputBytes, throughStream } from './through-stream.ts'

const maxFrames = 1_000_000

/** What the program zstd takes without being told otherwise. */
const maxWindowLog = 27

/** Opens zstd (RFC 8878), which may have many frames: zlib ends with the first one. */
export async function* decompressZstd(source: ByteSource, context: DecompressorContext): AsyncGenerator<Uint8Array> {
  for (let frames = 0; frames === 0 || !(await source.isAtEnd()); frames++) {
    if (frames === maxFrames) throw context.wrong(`it has more than ${maxFrames} frames`)
    const params = { [constants.ZSTD_d_windowLogMax]: maxWindowLog }
    yield* throughStream(source, createZstdDecompress({ chunkSize: outputBytes, params }), context)
  }
}
