import type { Transform } from 'node:stream'
import { messageOf } from '../errors.ts'
import type { ByteSource } from './byte-source.ts'
import type { DecompressorContext } from './decompressor.ts'

export const outputBytes = 128 * 1024

/** A stream of zlib: it says how much of its input it took. */
export type ZlibStream = Transform & { readonly bytesWritten: number }

/** Gives what a stream makes of the source, up to the stream's end. What it did not take stays in the source. */
export async function* throughStream(
  source: ByteSource,
  stream: ZlibStream,
  { wrong, signal }: DecompressorContext,
): AsyncGenerator<Uint8Array> {
  let failure: Error | undefined
  const feeding = feed(source, stream).catch((error) => {
    failure = error
    stream.destroy(error)
  })
  const stop = () => stream.destroy(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    signal.throwIfAborted()
    yield* stream as AsyncIterable<Uint8Array>
  } catch (error) {
    signal.throwIfAborted()
    throw failure ?? wrong(messageOf(error), error)
  } finally {
    signal.removeEventListener('abort', stop)
    stream.destroy()
  }
  await feeding
}

/** Gives chunk by chunk, the next one when the last one was taken whole. */
async function feed(source: ByteSource, stream: ZlibStream): Promise<void> {
  for (;;) {
    const chunk = await source.readChunk()
    if (chunk === undefined) break
    const before = stream.bytesWritten
    if (!(await written(stream, chunk))) return
    const taken = stream.bytesWritten - before
    if (taken === chunk.length) continue
    source.unread(chunk.subarray(taken))
    return
  }
  stream.end()
}

/** False when the stream failed, which its reader is told. */
function written(stream: ZlibStream, chunk: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => stream.write(chunk, (error) => resolve(error === null || error === undefined)))
}
