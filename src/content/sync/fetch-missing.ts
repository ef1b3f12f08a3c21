import type { Artifacts } from '../../platform/blobs/artifacts.ts'
import type { StagedBlob } from '../../platform/blobs/blob-store.ts'
import { AppError, messageOf } from '../../platform/errors.ts'
import { fetchBlob } from '../../platform/fetch/fetch-blob.ts'
import type { Upstream } from '../../platform/fetch/fetch-options.ts'
import type { Fetcher } from '../../platform/fetch/fetcher.ts'
import type { DiscoveredFile } from '../content-type.ts'

export interface FetchMissing {
  readonly artifacts: Artifacts
  readonly fetcher: Fetcher
  readonly upstream: Upstream
  readonly concurrency: number
  readonly signal: AbortSignal
  readonly onFetched: (file: DiscoveredFile) => void
}

/** With so many failures the upstream is at fault as a whole: the rest is not worth asking for. */
const maxFailures = 20

/**
 * Fetches the files whose bytes are not stored yet, checks them, and keeps them as artifacts. What was fetched before a
 * failure stays stored for the next attempt.
 *
 * @throws AppError `upstream` that names every file that could not be had, when all others were fetched
 */
export async function fetchMissing(files: readonly DiscoveredFile[], options: FetchMissing): Promise<Set<string>> {
  const byDigest = new Map(files.map((file) => [file.sha256, file]))
  const stored = await options.artifacts.touch([...byDigest.keys()])
  const missing = [...byDigest.values()].filter(({ sha256 }) => !stored.has(sha256))
  await fetchAll(missing, options)
  return new Set(byDigest.keys())
}

async function fetchAll(missing: readonly DiscoveredFile[], options: FetchMissing): Promise<void> {
  const queue = [...missing]
  const staged: StagedBlob[] = []
  const failures: string[] = []
  const worker = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      options.signal.throwIfAborted()
      try {
        staged.push(await fetchOne(file, options))
        options.onFetched(file)
      } catch (error) {
        options.signal.throwIfAborted()
        failures.push(messageOf(error))
        if (failures.length >= maxFailures) queue.length = 0
      }
    }
  }
  try {
    await settle(Array.from({ length: Math.min(options.concurrency, missing.length) }, worker))
    await options.artifacts.keep(staged)
  } finally {
    await Promise.all(staged.map((blob) => blob.discard()))
  }
  if (failures.length > 0) throw new AppError('upstream', failures.join('; '))
}

/** Waits for all, so that nothing goes on behind the back of whoever handles the first failure. */
async function settle(works: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(works)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

function fetchOne({ url, sha256, sizeBytes, path }: DiscoveredFile, options: FetchMissing): Promise<StagedBlob> {
  const { fetcher, upstream, signal, artifacts } = options
  return fetchBlob(fetcher, url, {
    upstream,
    store: artifacts.store,
    expected: { sha256, sizeBytes },
    subject: path,
    signal,
  })
}
