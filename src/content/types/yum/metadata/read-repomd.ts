import { readAllRecords } from '../xml/read-records.ts'
import { childOf, childrenOf, textOf, type XmlElement, type XmlRecord } from '../xml/xml-element.ts'
import { wrongDocument } from '../xml/xml-error.ts'
import {
  type Checksum,
  type Location,
  parseChecksum,
  parseCount,
  parseLocation,
  shown,
  type Wrong,
} from './field-checks.ts'

/** One metadata file as repomd.xml names it. */
export interface MetadataRecord {
  readonly type: string
  /** Of the file as it is fetched. */
  readonly checksum: Checksum
  /** Of what is in it when it is compressed. */
  readonly openChecksum: Checksum | undefined
  readonly location: Location
  /** Seconds. */
  readonly timestamp: number | undefined
  readonly sizeBytes: number | undefined
  readonly openSizeBytes: number | undefined
}

export interface Repomd {
  /** Mostly the seconds of its creation; any text. */
  readonly revision: string
  readonly tags: RepomdTags
  /** In their order; without the databases and the zchunk files of other clients. */
  readonly records: readonly MetadataRecord[]
}

export interface RepomdTags {
  readonly content: readonly string[]
  readonly repo: readonly string[]
  readonly distro: readonly { readonly cpeId: string | undefined; readonly name: string }[]
}

const document = 'repomd.xml'
const maxRecords = 1000

/**
 * Reads the file that leads to all others of a repository.
 *
 * @throws AppError `upstream` that says what is wrong with it
 */
export async function readRepomd(content: AsyncIterable<Uint8Array>): Promise<Repomd> {
  const { records } = await readAllRecords(content, { document, root: 'repomd', levels: 2 })
  const files = records.filter(({ name }) => name === 'data')
  if (files.length > maxRecords) throw wrongDocument(document, `it names more than ${maxRecords} files`)
  const seen = new Set<string>()
  return {
    revision: revisionOf(records),
    tags: readTags(records.find(({ name }) => name === 'tags')),
    records: files.filter((file) => !isForOthers(file)).map((file) => readRecord(file, seen)),
  }
}

/**
 * The file of a type, or undefined. Lists of groups and modules may be offered in several compressions, as `group`,
 * `group_gz` and so on: those that are fast to open come first.
 */
export function findMetadata(repomd: Repomd, type: string): MetadataRecord | undefined {
  const offered = repomd.records.filter((record) => record.type.replace(/_(?:zst|gz|xz|bz2)$/, '') === type)
  const rank = ({ location }: MetadataRecord) => {
    const place = ['zst', 'gz', 'xz', 'bz2'].indexOf(location.href.split('.').at(-1) as string)
    // what is not compressed comes after zst and gz
    return place === -1 ? 1.5 : place
  }
  return offered.toSorted((left, right) => rank(left) - rank(right))[0]
}

function isForOthers(file: XmlElement): boolean {
  return /_(?:db|zck)$/.test(file.attributes.get('type') ?? '')
}

function revisionOf(records: readonly XmlRecord[]): string {
  const revision = records.find(({ name }) => name === 'revision')?.text.trim() ?? ''
  if (revision.length > 256) throw wrongDocument(document, 'its revision has more than 256 characters')
  return revision
}

function readTags(tags: XmlElement | undefined): RepomdTags {
  const texts = (name: string) => (tags === undefined ? [] : childrenOf(tags, name)).map(({ text }) => text.trim())
  const distro = tags === undefined ? [] : childrenOf(tags, 'distro')
  return {
    content: texts('content'),
    repo: texts('repo'),
    distro: distro.map(({ attributes, text }) => ({ cpeId: attributes.get('cpeid'), name: text.trim() })),
  }
}

function readRecord(file: XmlElement, seen: Set<string>): MetadataRecord {
  const type = file.attributes.get('type') ?? ''
  const wrong: Wrong = (problem) => wrongDocument(document, `the file of type ${shown(type)} ${problem}`)
  if (!/^[\w.+-]{1,100}$/.test(type)) throw wrong('has a type that is no word')
  if (seen.has(type)) throw wrong('is named twice')
  seen.add(type)
  const checksum = childOf(file, 'checksum')
  const openChecksum = childOf(file, 'open-checksum')
  const count = (name: string) => parseOptionalCount(textOf(file, name), name, wrong)
  return {
    type,
    checksum: parseChecksum(checksum?.attributes.get('type'), checksum?.text, wrong),
    openChecksum: openChecksum && parseChecksum(openChecksum.attributes.get('type'), openChecksum.text, wrong),
    location: parseLocation(childOf(file, 'location')?.attributes ?? new Map(), wrong),
    timestamp: count('timestamp'),
    sizeBytes: count('size'),
    openSizeBytes: count('open-size'),
  }
}

/** Old writers give times with fractions. */
function parseOptionalCount(text: string | undefined, what: string, wrong: Wrong): number | undefined {
  if (text === undefined || text === '') return undefined
  return parseCount(what === 'timestamp' ? text.replace(/\.\d*$/, '') : text, what, wrong)
}
