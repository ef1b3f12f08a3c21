import { AppError } from '../../errors.ts'
import { type FormPart, maxParts } from './form-part.ts'
import { PieceReader } from './piece-reader.ts'

const maxHeaderBytes = 16 * 1024
const maxPreambleBytes = 64 * 1024
const lineEnd = Buffer.from('\r\n')
const headersEnd = Buffer.from('\r\n\r\n')

/**
 * The parts of a `multipart/form-data` body (RFC 7578) as they come, in constant memory. What has no filename is as
 * much bytes as what has one.
 *
 * @throws AppError `malformed`
 */
export async function* multipartParts(boundary: string, source: AsyncIterable<Uint8Array>): AsyncGenerator<FormPart> {
  const reader = new PieceReader(withLineEnd(source))
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  await reader.wholeUntil(delimiter, maxPreambleBytes)
  for (let count = 0; await hasPart(reader); count += 1) {
    if (count === maxParts) throw new AppError('malformed', `Cannot read the form: it has more than ${maxParts} parts`)
    // a part without headers has its empty line at once
    const headers = await reader.wholeUntil(headersEnd, maxHeaderBytes)
    const body = reader.until(delimiter)
    yield { ...disposition(headers.toString('utf8')), body: rest(body) }
    for await (const _ of rest(body));
  }
}

/** The first delimiter may stand at the very beginning. */
async function* withLineEnd(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield lineEnd
  yield* source
}

/** A reader that stops early must not end the part: what it left is skipped afterwards. */
function rest(body: AsyncGenerator<Uint8Array>): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => body.next() }) }
}

async function hasPart(reader: PieceReader): Promise<boolean> {
  const after = await reader.take(2)
  if (after.toString('latin1') === '--') return false
  if (after.equals(lineEnd)) return true
  const blanks = Buffer.concat([after, await reader.wholeUntil(lineEnd, 100)]).toString('latin1')
  if (/^[ \t]*\r?$/.test(blanks)) return true
  throw new AppError('malformed', 'Cannot read the form: something follows a boundary on its line')
}

function disposition(headers: string): Pick<FormPart, 'name' | 'filename'> {
  const line = headers.split('\r\n').find((header) => /^content-disposition:/i.test(header)) ?? ''
  const name = parameter(line, 'name')
  if (name === undefined) throw new AppError('malformed', 'Cannot read the form: a part has no name')
  return { name, filename: extended(line) ?? parameter(line, 'filename') }
}

function parameter(line: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'i').exec(line)
  // browsers write quotes and line ends in percents, others with a backslash
  return match?.[1]?.replace(/\\(["\\])/g, '$1').replace(/%(22|0D|0A)/gi, decodeURIComponent) ?? match?.[2]
}

function extended(line: string): string | undefined {
  const [, text] = /;\s*filename\*=UTF-8''([^;\s]*)/i.exec(line) ?? []
  try {
    return text === undefined ? undefined : decodeURIComponent(text)
  } catch (error) {
    throw new AppError('malformed', 'Cannot read the form: a filename is not UTF-8', { cause: error })
  }
}
