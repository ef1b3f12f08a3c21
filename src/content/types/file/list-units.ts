import { inBatches } from '../../../platform/blobs/bounded.ts'
import { FetchError } from '../../../platform/fetch/fetch-error.ts'
import { forAll } from '../../../platform/fetch/for-all.ts'
import type { DiscoverContext, DiscoveredUnit } from '../../content-type.ts'
import { type ChecksumEntry, checksumListName, parseChecksumList } from './checksum-list.ts'
import { fileKey } from './file-key.ts'
import { type ManifestEntry, parseManifest } from './manifest.ts'
import { manifestName } from './manifest-name.ts'
import type { UpstreamFolder } from './upstream-folder.ts'

/** Gives the units of a list that was read; asks the upstream for what the list does not tell. */
export type UnitsOfList = (context: DiscoverContext, folder: UpstreamFolder) => AsyncIterable<readonly DiscoveredUnit[]>

export const batchSize = 2000

export const manifestUnits = {
  name: manifestName,
  async read(content: AsyncIterable<Uint8Array>): Promise<UnitsOfList> {
    const entries = await Array.fromAsync(parseManifest(content))
    return async function* (_context, folder) {
      for (const batch of inBatches(entries, batchSize)) yield batch.map((entry) => toUnit(entry, folder))
    }
  },
}

export const checksumUnits = {
  name: checksumListName,
  async read(content: AsyncIterable<Uint8Array>): Promise<UnitsOfList> {
    const entries = await Array.fromAsync(parseChecksumList(content))
    return async function* (context, folder) {
      for (const batch of inBatches(entries, batchSize)) {
        const sizes = await findSizes(batch, context, folder)
        yield batch.map((entry) => toUnit({ ...entry, sizeBytes: sizes.get(entry.path) as number }, folder))
      }
    }
  },
}

export function toUnit({ path, sha256, sizeBytes }: ManifestEntry, folder: UpstreamFolder): DiscoveredUnit {
  const files = [{ path, sha256, sizeBytes, url: folder.below(path) }]
  return { kind: 'file', naturalKey: fileKey({ path, sha256 }), name: path, files }
}

type Sizes = Map<string, number>

/** Sizes by path. They are learnt with the bytes, unless these can wait and the upstream tells the sizes alone. */
async function findSizes(
  entries: readonly ChecksumEntry[],
  context: DiscoverContext,
  folder: UpstreamFolder,
): Promise<Sizes> {
  const sizes = context.isOnDemand ? await askSizes(entries, context, folder) : new Map<string, number>()
  const unknown = entries
    .filter(({ path }) => !sizes.has(path))
    .map((entry) => ({ ...entry, url: folder.below(entry.path) }))
  const learnt = await context.fetch(unknown)
  for (const [index, { path }] of unknown.entries()) {
    const file = learnt[index]
    if (typeof file === 'object') sizes.set(path, file.sizeBytes)
  }
  return sizes
}

async function askSizes(
  entries: readonly ChecksumEntry[],
  context: DiscoverContext,
  folder: UpstreamFolder,
): Promise<Sizes> {
  const stored = await context.findSizes(entries.map(({ sha256 }) => sha256))
  const sizes: Sizes = new Map()
  await forAll(entries, context, async ({ path, sha256 }) => {
    const sizeBytes = stored.get(sha256) ?? (await askSize(folder.below(path), context))
    if (sizeBytes !== undefined) sizes.set(path, sizeBytes)
  })
  return sizes
}

/** Not every server knows HEAD, or tells a length then. */
const withoutHead: readonly (number | undefined)[] = [405, 501]

async function askSize(url: URL, { fetcher, upstream, signal }: DiscoverContext): Promise<number | undefined> {
  try {
    await using answer = await fetcher.open(url, { upstream, signal, method: 'HEAD' })
    return answer.sizeBytes
  } catch (error) {
    if (error instanceof FetchError && withoutHead.includes(error.status)) return undefined
    throw error
  }
}
