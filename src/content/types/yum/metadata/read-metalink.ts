import { readAllRecords } from '../xml/read-records.ts'
import { childOf, childrenOf, textOf, type XmlElement } from '../xml/xml-element.ts'
import { wrongDocument } from '../xml/xml-error.ts'
import { type Checksum, isChecksumType, parseChecksum, parseCount, type Wrong } from './field-checks.ts'
import { repositoryAddress } from './repository-address.ts'

/** A repomd.xml that mirrors may have. */
export interface MetalinkFile {
  /** Seconds. */
  readonly timestamp: number | undefined
  readonly sizeBytes: number | undefined
  /** At least one. */
  readonly checksums: readonly Checksum[]
}

export interface Mirror {
  /** The repository's folder, with a slash at its end. */
  readonly url: string
  /** More is better; 0 when nothing is said. */
  readonly preference: number
  readonly country: string | undefined
}

export interface Metalink {
  readonly repomd: MetalinkFile
  /** Older ones that a mirror may still have. */
  readonly alternates: readonly MetalinkFile[]
  /** The best first. */
  readonly mirrors: readonly Mirror[]
}

const document = 'the metalink'
const wrong: Wrong = (problem) => wrongDocument(document, `it ${problem}`)

/**
 * Reads what a server of mirrors says of a repository: where copies of it are, and what repomd.xml must be there.
 *
 * @throws AppError `upstream` when it says nothing of repomd.xml or names no mirror with http or https
 */
export async function readMetalink(content: AsyncIterable<Uint8Array>): Promise<Metalink> {
  const { records } = await readAllRecords(content, { document, root: 'metalink', levels: 5 })
  const files = records.filter(({ name }) => name === 'files').flatMap((list) => childrenOf(list, 'file'))
  const file = files.find(({ attributes }) => attributes.get('name') === 'repomd.xml')
  if (file === undefined) throw wrong('says nothing of repomd.xml')
  const mirrors = childrenOf(childOf(file, 'resources') ?? file, 'url').flatMap(readMirror)
  if (mirrors.length === 0) throw wrong('names no mirror')
  const alternates = childOf(file, 'mm0:alternates')
  return {
    repomd: readFile(file),
    alternates: alternates === undefined ? [] : childrenOf(alternates, 'mm0:alternate').map(readFile),
    mirrors: mirrors.sort((left, right) => right.preference - left.preference),
  }
}

function readFile(file: XmlElement): MetalinkFile {
  const hashes = childrenOf(childOf(file, 'verification') ?? file, 'hash')
  const checksums = hashes
    .map(({ attributes, text }) => ({ type: (attributes.get('type') ?? '').toLowerCase().replace('-', ''), text }))
    .filter(({ type }) => isChecksumType(type))
    .map(({ type, text }) => parseChecksum(type, text, wrong))
  if (checksums.length === 0) throw wrong('has no checksum of repomd.xml')
  const count = (name: string) => optionalCount(textOf(file, name), name)
  return { timestamp: count('mm0:timestamp'), sizeBytes: count('size'), checksums }
}

function optionalCount(text: string | undefined, what: string): number | undefined {
  return text === undefined ? undefined : parseCount(text, what, wrong)
}

function readMirror({ text, attributes }: XmlElement): Mirror[] {
  const address = text.trim()
  const url = address.endsWith('/repodata/repomd.xml') ? repositoryAddress(address) : undefined
  const preference = Number(attributes.get('preference') ?? 0)
  return url === undefined
    ? []
    : [{ url, preference: Number.isFinite(preference) ? preference : 0, country: attributes.get('location') }]
}
