import { TextDecoder } from 'node:util'
import { AppError } from '../../../platform/errors.ts'
import { checkRepositoryPath } from '../../repository-path.ts'

export const manifestName = 'PULP_MANIFEST'

export interface ManifestEntry {
  readonly path: string
  readonly sha256: string
  readonly sizeBytes: number
}

const maxLineBytes = 4096

/**
 * Reads a PULP_MANIFEST: UTF-8 lines `relative/path,sha256,size` without header or quoting. Memory stays bounded
 * whatever the upstream sends.
 *
 * @throws AppError `upstream` that names the line, for anything that is not such a line, and for a path given twice
 */
export async function* parseManifest(content: AsyncIterable<Uint8Array>): AsyncGenerator<ManifestEntry> {
  const seen = new Set<string>()
  let number = 0
  for await (const line of linesOf(content)) {
    number += 1
    if (line === '') continue
    const entry = parseLine(line, number)
    if (seen.has(entry.path)) throw wrongLine(number, `names "${entry.path}" a second time`)
    seen.add(entry.path)
    yield entry
  }
}

function parseLine(line: string, number: number): ManifestEntry {
  const fields = line.split(',')
  if (fields.length !== 3) throw wrongLine(number, 'is not "path,sha256,size"')
  const [path = '', sha256 = '', size = ''] = fields.map((field) => field.trim())
  if (!/^[0-9a-fA-F]{64}$/.test(sha256)) throw wrongLine(number, `has no sha256 for "${path.slice(0, 200)}"`)
  if (!/^\d{1,15}$/.test(size)) throw wrongLine(number, `has no size for "${path.slice(0, 200)}"`)
  try {
    return { path: checkRepositoryPath(path), sha256: sha256.toLowerCase(), sizeBytes: Number(size) }
  } catch (error) {
    throw new AppError('upstream', `Cannot read line ${number} of ${manifestName}`, { cause: error })
  }
}

function wrongLine(number: number, problem: string): AppError {
  return new AppError('upstream', `Cannot read ${manifestName}: line ${number} ${problem}`)
}

async function* linesOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  for await (const chunk of content) {
    const lines = (rest + decode(decoder, chunk)).split('\n')
    rest = lines.pop() as string
    if (rest.length > maxLineBytes)
      throw new AppError('upstream', `Cannot read ${manifestName}: a line is longer than ${maxLineBytes} bytes`)
    for (const line of lines) yield line.replace(/\r$/, '')
  }
  yield rest + decode(decoder)
}

function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
  } catch (error) {
    throw new AppError('upstream', `Cannot read ${manifestName}: it is not UTF-8`, { cause: error })
  }
}

/** One line for clients and for other servers that sync from here. */
export function formatEntry({ path, sha256, sizeBytes }: ManifestEntry): string {
  return `${path},${sha256},${sizeBytes}\n`
}
