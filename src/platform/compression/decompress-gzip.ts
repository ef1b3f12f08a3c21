import { createGunzip } from 'node:zlib'
import type { ByteSource } from './byte-source.ts'
import type { DecompressorContext } from './decompressor.ts'
import { outputBytes, throughStream } from './through-stream.ts'

/** Opens gzip (RFC 1952), which may have several members. */
export async function* decompressGzip(source: ByteSource, context: DecompressorContext): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: outputBytes })
  yield* throughStream(source, gunzip, context)
  // zeros, which zlib passes over, are behind the end, too
  if (gunzip.bytesWritten !== source.readBytes || !(await source.isAtEnd()))
    throw context.wrong('it has something behind its end')
}
