import { createHash } from 'node:crypto'
import type { Validators } from '../../../../platform/fetch/fetch-options.ts'
import type { DiscoverContext, DiscoveredUnit, Discovery } from '../../../content-type.ts'
import { type MetadataFileUnit, toMetadataFile } from '../records/metadata-file.ts'
import { discoverPackages } from './discover-packages.ts'

import { discoverTexts } from './discover-texts.ts'
import { discoverTree } from './discover-tree.ts'
import { type FetchedMetadata, fetchMetadata } from './fetch-metadata.ts'
import { findRepomd, type KnownRepomd, urlOf } from './find-repository.ts'
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
  if (createHash('sha256').update(found.bytes).digest('hex') === known?.sha256) return { outcome: 'unchanged' }
  const metadata = await fetchMetadata(context, found, known?.isSigned ?? false)
  const { sha256, revision, isSigned } = metadata
  const { base, validators } = metadata.found
  const state = { base: base.href, validators, sha256, revision, isSigned } satisfies YumState
  return { outcome: 'changed', state, units: readUnits(context, metadata) }
}

async function* readUnits(
  context: DiscoverContext,
  { found: { base }, lists, texts, others }: FetchedMetadata,
): AsyncGenerator<readonly DiscoveredUnit[]> {
  const modular = await findModular(context, texts.modules)
  const retained = await findRetained(context, lists.primary, modular)
  yield* discoverPackages(context, base, { ...lists, retained, modular })
  yield keptAsTheyAre(base, others)
  yield await discoverTree(context, base)
  yield* discoverTexts(context, texts)
}

function keptAsTheyAre(base: URL, others: FetchedMetadata['others']): readonly (MetadataFileUnit & DiscoveredUnit)[] {
  return others.map(({ record: { type, location, openChecksum, openSizeBytes }, sha256, sizeBytes }) => {
    const unit = toMetadataFile({ type, href: location.href, sha256, sizeBytes, openChecksum, openSizeBytes })
    return { ...unit, files: unit.files.map((file) => ({ ...file, url: urlOf(base, location) })) }
  })
}
