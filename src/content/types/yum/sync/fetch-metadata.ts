import { createHash } from 'node:crypto'
import { AppError, messageOf } from '../../../../platform/errors.ts'
import { shownUrl } from '../../../../platform/fetch/shown-url.ts'
import type { DiscoverContext, LearntFile, UnknownFile } from '../../../content-type.ts'
import { findMetadata, type MetadataRecord, type Repomd, readRepomd } from '../metadata/read-repomd.ts'
import { baseType } from '../records/base-type.ts'
import { checkRepomd } from './check-repomd.ts'
import { type MetadataTexts, textTypes } from './discover-texts.ts'
import { type FoundRepomd, findRepomd, urlOf } from './find-repository.ts'
import type { StoredMetadata } from './open-metadata.ts'

/** A metadata file that repomd.xml names no size of, or a larger one, is none that any client could read. */
const maxBytes = 2 * 1024 * 1024 * 1024

const packageLists = ['primary', 'filelists', 'other'] as const
type PackageListName = (typeof packageLists)[number]

/** An upstream's metadata files as one repomd.xml names them, checked and stored. */
export interface FetchedMetadata {
  readonly found: FoundRepomd
  /** Of repomd.xml. */
  readonly sha256: string
  readonly revision: string
  /** Whether a signature of it was checked. */
  readonly isSigned: boolean
  readonly lists: Readonly<Record<PackageListName, StoredMetadata>>
  /** Those besides the package lists that are taken apart, as far as there are any. */
  readonly texts: MetadataTexts
  /** Everything else that the metadata names. */
  readonly others: readonly StoredMetadata[]
}

/**
 * Brings all metadata files of a repository into the server. An upstream that is published anew meanwhile no longer has the
 * files that its former repomd.xml names: it is read once more then.
 *
 * @throws AppError `upstream` that names what could not be had, and says when the upstream has changed each time
 */
export async function fetchMetadata(
  context: DiscoverContext,
  found: FoundRepomd,
  wasSigned: boolean,
): Promise<FetchedMetadata> {
  try {
    return await fetchAll(context, found, wasSigned)
  } catch (error) {
    if (!isUpstreams(error)) throw error
    const newer = await findNewer(context, found)
    if (newer === undefined) throw error
    return await fetchAll(context, newer, wasSigned).catch((second: unknown) => {
      throw isUpstreams(second) ? changing(context, second) : second
    })
  }
}

function isUpstreams(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'upstream'
}

function changing({ upstream }: DiscoverContext, cause: AppError): AppError {
  const problem = `its repomd.xml was replaced while its files were fetched, and with the new one: ${messageOf(cause)}`
  return new AppError('upstream', `Cannot read ${shownUrl(upstream.url)}: ${problem}`, { cause })
}

/** What the upstream names now, when that is something else; whatever fails here matters less than what failed before. */
async function findNewer(context: DiscoverContext, { bytes }: FoundRepomd): Promise<FoundRepomd | undefined> {
  const now = await findRepomd(context, undefined).catch((error: unknown) => {
    if (isUpstreams(error)) return undefined
    throw error
  })
  return now === undefined || now === 'unchanged' || now.bytes.equals(bytes) ? undefined : now
}

async function fetchAll(context: DiscoverContext, found: FoundRepomd, wasSigned: boolean): Promise<FetchedMetadata> {
  const isSigned = await checkRepomd(context, found, wasSigned)
  const repomd = await readRepomd(one(found.bytes))
  const records = wantedRecords(repomd)
  const files = await context.fetch(records.map(({ record }) => toFile(found.base, record)))
  const stored = records.map(({ role, record }, index) => ({
    role,
    file: toStored(record, files[index] as LearntFile),
  }))
  const named = stored.flatMap(({ role, file }) => (role === undefined ? [] : [[role, file] as const]))
  const byRole = Object.fromEntries(named) as FetchedMetadata['texts'] & FetchedMetadata['lists']
  const { primary, filelists, other, ...texts } = byRole
  return {
    found,
    sha256: createHash('sha256').update(found.bytes).digest('hex'),
    revision: repomd.revision,
    isSigned,
    lists: { primary, filelists, other },
    texts,
    others: stored.flatMap(({ role, file }) => (role === undefined ? [file] : [])),
  }
}

interface WantedRecord {
  /** Undefined for what is kept as it is. */
  readonly role: PackageListName | (typeof textTypes)[number] | undefined
  readonly record: MetadataRecord
}

function wantedRecords(repomd: Repomd): readonly WantedRecord[] {
  const lists = packageLists.map((role) => ({ role, record: requireMetadata(repomd, role) }))
  const texts = textTypes.flatMap((role) => {
    const record = findMetadata(repomd, role)
    return record === undefined ? [] : [{ role, record }]
  })
  const read: readonly string[] = [...packageLists, ...textTypes]
  const others = repomd.records.filter(({ type }) => !read.includes(baseType(type)))
  return [...lists, ...texts, ...others.map((record) => ({ role: undefined, record }))]
}

function requireMetadata(repomd: Repomd, type: string): MetadataRecord {
  const record = findMetadata(repomd, type)
  if (record === undefined)
    throw new AppError('upstream', `Cannot read the repository: its repomd.xml names no ${type}`)
  return record
}

function toFile(base: URL, { location, checksum, sizeBytes }: MetadataRecord): UnknownFile {
  const { type, value } = checksum
  const known = { ...(sizeBytes === undefined ? {} : { sizeBytes }), ...(type === 'sha256' ? { sha256: value } : {}) }
  const digests = type === 'sha256' ? {} : { [type]: value }
  return { url: urlOf(base, location), path: location.href, digests, maxBytes, ...known }
}

function toStored(record: MetadataRecord, { sha256, sizeBytes }: LearntFile): StoredMetadata {
  return { record, sha256, sizeBytes }
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
