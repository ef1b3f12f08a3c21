import type { Kysely } from 'kysely'
import type { Artifacts } from '../../platform/blobs/artifacts.ts'
import type { StagedBlob } from '../../platform/blobs/blob-store.ts'
import { fetchBlob } from '../../platform/fetch/fetch-blob.ts'
import type { Upstream } from '../../platform/fetch/fetch-options.ts'
import type { Fetcher } from '../../platform/fetch/fetcher.ts'
import { forAll } from '../../platform/fetch/for-all.ts'
import type { DiscoveredFile } from '../content-type.ts'
import type { ContentTables } from '../tables.ts'

export interface Fetching {
  readonly db: Kysely<ContentTables>
  readonly artifacts: Artifacts
  readonly fetcher: Fetcher
  readonly upstream: Upstream
  readonly concurrency: number
  readonly signal: AbortSignal
  readonly onFetched: (sizeBytes: number) => void
}

/**
 * Fetches the files whose bytes are not stored yet, checks them, and keeps them as artifacts. What was fetched before a
 * failure stays stored for the next attempt.
 *
 * @throws AppError `upstream` that names every file that could not be had, when all others were fetched
 */
export async function fetchMissing(files: readonly DiscoveredFile[], options: Fetching): Promise<Set<string>> {
  const byDigest = new Map(files.map((file) => [file.sha256, file]))
  const stored = await options.artifacts.touch([...byDigest.keys()])
  const missing = [...byDigest.values()].filter(({ sha256 }) => !stored.has(sha256))
  await keepingAll(options, (staged) =>
    forAll(missing, options, async (file) => {
      staged.push(await fetchOne(file, options))
      options.onFetched(file.sizeBytes)
    }),
  )
  return new Set(byDigest.keys())
}

/** Keeps what was staged, also when the rest failed. */
export async function keepingAll(
  { artifacts }: Fetching,
  stageAll: (staged: StagedBlob[]) => Promise<void>,
): Promise<void> {
  const staged: StagedBlob[] = []
  try {
    const [outcome] = await Promise.allSettled([stageAll(staged)])
    await artifacts.keep(staged)
    if (outcome.status === 'rejected') throw outcome.reason
  } finally {
    await Promise.all(staged.map((blob) => blob.discard()))
  }
}

function fetchOne({ url, sha256, sizeBytes, path }: DiscoveredFile, options: Fetching): Promise<StagedBlob> {
  const { fetcher, upstream, signal, artifacts } = options
  return fetchBlob(fetcher, url, {
    upstream,
    store: artifacts.store,
    expected: { sha256, sizeBytes },
    subject: path,
    signal,
  })
}
