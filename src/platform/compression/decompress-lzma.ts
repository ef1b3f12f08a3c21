import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../errors.ts'
import type { ByteSource } from './byte-source.ts'
import type { DecompressorContext } from './decompressor.ts'

const args = ['--decompress', '--stdout', '--format=lzma', '--memlimit-decompress=256MiB', '--quiet']
const maxMessageChars = 1000

/** Opens what came before xz, which hardly anybody writes any more, with the program xz. */
export async function* decompressLzma(source: ByteSource, context: DecompressorContext): AsyncGenerator<Uint8Array> {
  const program = spawn('xz', args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = once(program, 'close').catch((cause) => {
    throw new AppError('unavailable', 'Cannot open lzma: the program xz is not installed', { cause })
  })
  ended.catch(() => {})
  let message = ''
  program.stderr.on('data', (data) => {
    message = `${message}${data}`.slice(0, maxMessageChars)
  })
  let failure: unknown
  const input = pipeline(Readable.from(chunksOf(source)), program.stdin).catch((error) => {
    // the program ends its input when it fails, which it tells by itself
    if (error?.code !== 'EPIPE' && error?.code !== 'ERR_STREAM_PREMATURE_CLOSE') failure = error
  })
  const stop = () => program.kill('SIGKILL')
  context.signal.addEventListener('abort', stop, { once: true })
  try {
    yield* program.stdout
    const [status] = await ended
    await input
    context.signal.throwIfAborted()
    if (failure !== undefined) throw failure
    if (status !== 0) throw context.wrong(`it is no lzma: ${message.trim()}`)
  } finally {
    context.signal.removeEventListener('abort', stop)
    stop()
  }
}

async function* chunksOf(source: ByteSource): AsyncGenerator<Uint8Array> {
  for (let chunk = await source.readChunk(); chunk !== undefined; chunk = await source.readChunk()) yield chunk
}
