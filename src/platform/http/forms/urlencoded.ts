import { AppError } from '../../errors.ts'
import { type FormPart, maxParts } from './form-part.ts'
import { PieceReader } from './piece-reader.ts'

const maxNameBytes = 1000
const [percent, plus, blank] = [0x25, 0x2b, 0x20]
const [and, equals] = [Buffer.from('&'), Buffer.from('=')]

/**
 * The fields of an `application/x-www-form-urlencoded` body as they come, in constant memory. Values are bytes, which
 * need not be text.
 *
 * @throws AppError `malformed`
 */
export async function* urlencodedParts(source: AsyncIterable<Uint8Array>): AsyncGenerator<FormPart> {
  const reader = new PieceReader(closed(source))
  for (let count = 0; ; count += 1) {
    if (count === maxParts) throw new AppError('malformed', `Cannot read the form: it has more than ${maxParts} fields`)
    const name = await reader.wholeUntil(equals, maxNameBytes)
    if (name.length === 0) return
    const value = decoded(reader.until(and))
    yield {
      name: textOf(name),
      filename: undefined,
      body: { [Symbol.asyncIterator]: () => ({ next: () => value.next() }) },
    }
    for await (const _ of value);
  }
}

/** Ends the last field as all others end, and the form with a field without a name. */
async function* closed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isEmpty = true
  for await (const piece of source) {
    if (piece.length === 0) continue
    isEmpty = false
    yield piece
  }
  yield Buffer.from(isEmpty ? '=' : '&=')
}

function textOf(bytes: Buffer): string {
  try {
    return decodeURIComponent(bytes.toString('latin1').replaceAll('+', ' '))
  } catch (error) {
    throw new AppError('malformed', 'Cannot read the form: the name of a field is not UTF-8', { cause: error })
  }
}

async function* decoded(encoded: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const piece of encoded) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    const last = bytes.lastIndexOf(percent)
    // two percents in a row are no escape; decode refuses them
    const end = last >= 0 && last > bytes.length - 3 ? last : bytes.length
    rest = Buffer.from(bytes.subarray(end))
    yield decode(bytes.subarray(0, end))
  }
  if (rest.length > 0) throw wrongEscape()
}

function decode(bytes: Uint8Array): Uint8Array {
  const result = Buffer.allocUnsafe(bytes.length)
  let size = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number
    if (byte === percent) {
      result[size++] = hex(bytes[at + 1]) * 16 + hex(bytes[at + 2])
      at += 2
    } else result[size++] = byte === plus ? blank : byte
  }
  return result.subarray(0, size)
}

function hex(code = 0): number {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase())
  if (digit < 0) throw wrongEscape()
  return digit
}

function wrongEscape(): AppError {
  return new AppError('malformed', 'Cannot read the form: a percent sign is followed by no two hexadecimal digits')
}
