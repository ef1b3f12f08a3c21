import { inBatches } from '../../../platform/blobs/bounded.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Validators } from '../../../platform/fetch/fetch-options.ts'
import type { DiscoverContext, DiscoveredUnit, Discovery, LearntFile } from '../../content-type.ts'
import { listFolder } from './list-folder.ts'
import { batchSize, toUnit } from './list-units.ts'
import type { UpstreamFolder } from './upstream-folder.ts'

interface KnownFile extends LearntFile {
  readonly path: string
}

/** What was learnt of the files, so that only changed ones are fetched again. */
export interface ListingState {
  readonly source: 'listing'
  readonly files: KnownFile[]
}

/** Only so much is remembered: the files beyond it are fetched anew by each sync. */
const maxStateCharacters = 2_000_000

/**
 * Finds the files of a plain folder by the links of its pages. Nobody but the bytes tells their digests, so that all of them
 * are fetched, and asked for again with conditions.
 *
 * @throws AppError `invalid` for a repository whose bytes are to be fetched on demand
 */
export async function discoverListing(
  context: DiscoverContext,
  folder: UpstreamFolder,
  known: ListingState | undefined,
): Promise<Discovery> {
  const paths = await listFolder(context, folder)
  if (context.isOnDemand)
    throw new AppError(
      'invalid',
      `Cannot sync ${folder.shown} on demand: a plain listing tells no checksums; set download_policy to immediate`,
    )
  const state = { source: 'listing', files: [] as KnownFile[] }
  return { outcome: 'changed', state, units: unitsOf(paths, folder, { context, known, next: state.files }) }
}

interface Learning {
  readonly context: DiscoverContext
  readonly known: ListingState | undefined
  /** Grows while the units are read. */
  readonly next: KnownFile[]
}

async function* unitsOf(
  paths: readonly string[],
  folder: UpstreamFolder,
  { context, known, next }: Learning,
): AsyncGenerator<readonly DiscoveredUnit[]> {
  const knownFiles = new Map(known?.files.map((file) => [file.path, file]))
  let left = maxStateCharacters
  for (const batch of inBatches(paths, batchSize)) {
    const asked = batch.map((path) => {
      const conditions = knownFiles.get(path)?.validators
      return { path, url: folder.below(path), conditions }
    })
    const learnt = await context.fetch(asked)
    const files = batch.map((path, index) => {
      const file = learnt[index]
      return typeof file === 'object' ? { ...file, path } : (knownFiles.get(path) as KnownFile)
    })
    for (const file of files) {
      left -= JSON.stringify(file).length
      if (left >= 0 && isConditional(file.validators)) next.push(file)
    }
    yield files.map((file) => toUnit(file, folder))
  }
}

function isConditional({ etag, lastModified }: Validators): boolean {
  return etag !== undefined || lastModified !== undefined
}
