import { TextDecoder } from 'node:util'
import { wrongDocument } from './xml-error.ts'

/** Small chunks are joined up to this size: each piece of text costs something by itself. */
const pieceBytes = 64 * 1024

/**
 * Gives bytes as text, in pieces of some size, without a byte order mark.
 *
 * @throws AppError `upstream` when they are not UTF-8
 */
export async function* decodeUtf8(content: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const piece of joinSmall(content)) yield decode(decoder, name, piece)
  const last = decode(decoder, name)
  if (last !== '') yield last
}

async function* joinSmall(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of content) {
    waiting.push(chunk)
    sizeBytes += chunk.byteLength
    if (sizeBytes < pieceBytes) continue
    yield waiting.length === 1 ? chunk : Buffer.concat(waiting)
    waiting = []
    sizeBytes = 0
  }
  if (sizeBytes > 0) yield Buffer.concat(waiting)
}

function decode(decoder: TextDecoder, name: string, bytes?: Uint8Array): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
  } catch (error) {
    throw wrongDocument(name, 'it is not UTF-8', error)
  }
}
