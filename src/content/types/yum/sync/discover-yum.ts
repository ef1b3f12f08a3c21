import { createHash } from 'node:crypto'
import { AppError } from '../../../../platform/errors.ts'
import type { Validators } from '../../../../platform/fetch/fetch-options.ts'
import type { DiscoverContext, DiscoveredUnit, Discovery, LearntFile, UnknownFile } from '../../../content-type.ts'
import { findMetadata, type MetadataRecord, type Repomd, readRepomd } from '../metadata/read-repomd.ts'
import { baseType } from '../records/base-type.ts'
import { type MetadataFileUnit, toMetadataFile } from '../records/metadata-file.ts'
import { checkRepomd } from './check-repomd.ts'
import { discoverPackages } from './discover-packages.ts'
import { discoverTexts, type MetadataTexts, textTypes } from './discover-texts.ts'
import { discoverTree } from './discover-tree.ts'
import { type FoundRepomd, findRepomd, type KnownRepomd, urlOf } from './find-repository.ts'
import { findModular, findRetained } from './retention.ts'

/** What a sync remembers of a repository. */
interface YumState extends KnownRepomd {
  readonly base: string
  readonly validators: Validators
  /** Of repomd.xml. */
  readonly sha256: string
  readonly revision: string
  /** Whether a signature of it was checked. */
  readonly isSigned: boolean
}

/**
 * Finds what a repository of packages holds:
 *
 *   repomd.xml ──▶ metadata files, checked and stored ──▶ packages and the rest, in batches
 *
 * An unchanged repository costs one request.
 */
export async function discoverYum(context: DiscoverContext): Promise<Discovery> {
  const known = context.previous as YumState | undefined
  const found = await findRepomd(context, known)
  if (found === 'unchanged') return { outcome: 'unchanged' }
  const sha256 = createHash('sha256').update(found.bytes).digest('hex')
  if (sha256 === known?.sha256) return { outcome: 'unchanged' }
  const isSigned = await checkRepomd(context, found, known?.isSigned ?? false)
  const repomd = await readRepomd(one(found.bytes))
  const { base, validators } = found
  const state = { base: base.href, validators, sha256, revision: repomd.revision, isSigned } satisfies YumState
  return { outcome: 'changed', state, units: readUnits(context, found, repomd) }
}

const packageLists = ['primary', 'filelists', 'other'] as const

async function* readUnits(
  context: DiscoverContext,
  { base }: FoundRepomd,
  repomd: Repomd,
): AsyncGenerator<readonly DiscoveredUnit[]> {
  const records = packageLists.map((type) => requireMetadata(repomd, type))
  const [primary, filelists, other] = (await context.fetch(
    records.map((record) => toFile(base, record)),
  )) as readonly LearntFile[]
  if (primary === undefined || filelists === undefined || other === undefined) return
  const others = await discoverOthers(context, base, repomd)
  const texts = await fetchTexts(context, base, repomd)
  const modular = await findModular(context, texts.modules)
  const retained = await findRetained(context, primary, modular)
  yield* discoverPackages(context, base, { primary, filelists, other, retained, modular })
  yield others
  yield await discoverTree(context, base)
  yield* discoverTexts(context, texts)
}

async function fetchTexts(context: DiscoverContext, base: URL, repomd: Repomd): Promise<MetadataTexts> {
  const found = textTypes.flatMap((type) => {
    const record = findMetadata(repomd, type)
    return record === undefined ? [] : [{ type, record }]
  })
  const files = (await context.fetch(found.map(({ record }) => toFile(base, record)))) as readonly LearntFile[]
  return Object.fromEntries(found.map(({ type }, index) => [type, files[index]]))
}

/** Everything else that the metadata names is kept as it is. */
async function discoverOthers(
  context: DiscoverContext,
  base: URL,
  { records }: Repomd,
): Promise<readonly (MetadataFileUnit & DiscoveredUnit)[]> {
  const others = records.filter(({ type }) => ![...packageLists, ...textTypes].some((read) => read === baseType(type)))
  const learnt = (await context.fetch(others.map((record) => toFile(base, record)))) as readonly LearntFile[]
  return others.map((record, index) => {
    const { sha256, sizeBytes } = learnt[index] as LearntFile
    const { type, location, openChecksum, openSizeBytes } = record
    const unit = toMetadataFile({ type, href: location.href, sha256, sizeBytes, openChecksum, openSizeBytes })
    return { ...unit, files: unit.files.map((file) => ({ ...file, url: urlOf(base, location) })) }
  })
}

function requireMetadata(repomd: Repomd, type: string): MetadataRecord {
  const record = findMetadata(repomd, type)
  if (record === undefined)
    throw new AppError('upstream', `Cannot read the repository: its repomd.xml names no ${type}`)
  return record
}

function toFile(base: URL, { location, checksum, sizeBytes }: MetadataRecord): UnknownFile {
  const url = urlOf(base, location)
  const { type, value } = checksum
  const digests = type === 'sha256' ? {} : { [type]: value }
  const known = { ...(sizeBytes === undefined ? {} : { sizeBytes }), ...(type === 'sha256' ? { sha256: value } : {}) }
  return { url, path: location.href, digests, ...known }
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
