import { type FileLines, parseFileLines, wrongLine } from './file-lines.ts'
import { checkFilePath } from './file-path.ts'

export const checksumListName = 'SHA256SUMS'

export interface ChecksumEntry {
  readonly path: string
  readonly sha256: string
}

const checksumList: FileLines<ChecksumEntry> = { name: checksumListName, parseLine }

/**
 * Reads what sha256sum writes, in any of its forms: `<hex>  name`, `<hex> *name`, `SHA256 (name) = <hex>`; a leading
 * backslash says that the name is escaped. Empty lines and those that begin with `#` are passed over, as is a `./` before
 * the name.
 *
 * @throws AppError `upstream` that names the line, for anything that is not such a line, and for a path given twice
 */
export function parseChecksumList(content: AsyncIterable<Uint8Array>): AsyncGenerator<ChecksumEntry> {
  return parseFileLines(content, checksumList)
}

function parseLine(line: string, number: number): ChecksumEntry | undefined {
  if (line.startsWith('#') || line.trim() === '') return undefined
  const [, escaped, name, sha256] = plainForm(line) ?? taggedForm(line) ?? []
  if (name === undefined || sha256 === undefined)
    throw wrongLine(checksumListName, number, 'is neither "sha256  name" nor "SHA256 (name) = sha256"')
  const path = (escaped === '' ? name : unescaped(name)).replace(/^(?:\.\/)+/, '')
  return { path: checkFilePath(path, `line ${number} of ${checksumListName}`), sha256: sha256.toLowerCase() }
}

function plainForm(line: string): readonly string[] | undefined {
  const [all, escaped, sha256, name] = /^(\\?)([0-9a-fA-F]{64}) [ *](.+)$/.exec(line) ?? []
  return all === undefined ? undefined : [all, escaped, name, sha256].map(String)
}

function taggedForm(line: string): readonly string[] | undefined {
  return /^(\\?)SHA256 \((.+)\) = ([0-9a-fA-F]{64})$/.exec(line) ?? undefined
}

const meanings: Readonly<Record<string, string>> = { '\\\\': '\\', '\\n': '\n', '\\r': '\r' }

function unescaped(name: string): string {
  return name.replace(/\\[\\nr]/g, (pair) => meanings[pair] as string)
}
