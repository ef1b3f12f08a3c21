import { type FileLines, parseFileLines, wrongLine } from './file-lines.ts'
import { checkFilePath } from './file-path.ts'
import { manifestName } from './manifest-name.ts'

export interface ManifestEntry {
  readonly path: string
  readonly sha256: string
  readonly sizeBytes: number
}

const manifest: FileLines<ManifestEntry> = { name: manifestName, parseLine }

/**
 * Reads a PULP_MANIFEST: UTF-8 lines `relative/path,sha256,size` without header or quoting. Memory stays bounded
 * whatever the upstream sends.
 *
 * @throws AppError `upstream` that names the line, for anything that is not such a line, and for a path given twice
 */
export function parseManifest(content: AsyncIterable<Uint8Array>): AsyncGenerator<ManifestEntry> {
  return parseFileLines(content, manifest)
}

function parseLine(line: string, number: number): ManifestEntry {
  const fields = line.split(',')
  if (fields.length !== 3) throw wrongLine(manifestName, number, 'is not "path,sha256,size"')
  const [path = '', sha256 = '', size = ''] = fields.map((field) => field.trim())
  if (!/^[0-9a-fA-F]{64}$/.test(sha256))
    throw wrongLine(manifestName, number, `has no sha256 for "${path.slice(0, 200)}"`)
  if (!/^\d{1,15}$/.test(size)) throw wrongLine(manifestName, number, `has no size for "${path.slice(0, 200)}"`)
  return {
    path: checkFilePath(path, `line ${number} of ${manifestName}`),
    sha256: sha256.toLowerCase(),
    sizeBytes: Number(size),
  }
}

/** One line for clients and for other servers that sync from here. */
export function formatEntry({ path, sha256, sizeBytes }: ManifestEntry): string {
  return `${path},${sha256},${sizeBytes}\n`
}
