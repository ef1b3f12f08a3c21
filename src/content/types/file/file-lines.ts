import { setImmediate } from 'node:timers/promises'
import { TextDecoder } from 'node:util'
import { AppError } from '../../../platform/errors.ts'

const maxLineBytes = 4096
const maxFiles = 1_000_000
const maxBytes = 256 * 1024 * 1024

/** A text with a line for each file. */
export interface FileLines<Entry extends { readonly path: string }> {
  /** What it is called in messages. */
  readonly name: string
  /** Gives undefined for lines that name no file; throws `wrongLine` for those that should. */
  readonly parseLine: (line: string, number: number) => Entry | undefined
}

/**
 * Reads such a text, UTF-8. Memory stays bounded whatever the upstream sends: at most a million files.
 *
 * @throws AppError `upstream` that names the line that is wrong, or gives a path for the second time
 */
export async function* parseFileLines<Entry extends { readonly path: string }>(
  content: AsyncIterable<Uint8Array>,
  { name, parseLine }: FileLines<Entry>,
): AsyncGenerator<Entry> {
  const seen = new Set<string>()
  let number = 0
  for await (const line of linesOf(content, name)) {
    number += 1
    const entry = line === '' ? undefined : parseLine(line, number)
    if (entry === undefined) continue
    if (seen.has(entry.path)) throw wrongLine(name, number, `names "${entry.path}" a second time`)
    if (seen.size >= maxFiles) throw wrongText(name, `it names more than ${maxFiles} files`)
    seen.add(entry.path)
    yield entry
  }
}

export function wrongLine(name: string, number: number, problem: string): AppError {
  return wrongText(name, `line ${number} ${problem}`)
}

function wrongText(name: string, problem: string, cause?: unknown): AppError {
  return new AppError('upstream', `Cannot read ${name}: ${problem}`, { cause })
}

async function* linesOf(content: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  let number = 0
  for await (const chunk of boundedBytes(content, name)) {
    const lines = (rest + decode(decoder, name, chunk)).split('\n')
    rest = lines.pop() as string
    for (const line of lines) {
      number += 1
      yield checkLength(line, name, number).replace(/\r$/, '')
    }
    checkLength(rest, name, number + 1)
  }
  yield (rest + decode(decoder, name)).replace(/\r$/, '')
}

async function* boundedBytes(content: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0
  for await (const chunk of content) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > maxBytes) throw wrongText(name, `it has more than ${maxBytes} bytes`)
    yield chunk
    // chunks that are there already would come without a turn for anybody else
    await setImmediate()
  }
}

function checkLength(line: string, name: string, number: number): string {
  if (line.length > maxLineBytes) throw wrongLine(name, number, `is longer than ${maxLineBytes} bytes`)
  return line
}

function decode(decoder: TextDecoder, name: string, chunk?: Uint8Array): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
  } catch (error) {
    throw wrongText(name, 'it is not UTF-8', error)
  }
}
