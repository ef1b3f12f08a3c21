import { fetchChangedBlob } from '../../platform/fetch/fetch-blob.ts'
import { forAll } from '../../platform/fetch/for-all.ts'
import type { DiscoverContext, LearntFile, UnknownFile } from '../content-type.ts'
import { findStoredIds, listHeldIds } from '../sets/unit-store.ts'
import { type Fetching, keepingAll } from './fetch-missing.ts'

type Known = Pick<DiscoverContext, 'previous' | 'isOnDemand' | 'attributes' | 'checkSignature'>

/** The repository for which an upstream is looked at. */
interface Discovering extends Known {
  readonly setId: number
}

/** What a type needs to look at an upstream; whatever it fetches there goes the way of all fetches. */
export function discoverContext(fetching: Fetching, { setId, ...known }: Discovering): DiscoverContext {
  const { db, upstream, fetcher, signal, concurrency, artifacts } = fetching
  return {
    ...known,
    upstream,
    fetcher,
    signal,
    concurrency,
    fetch: (files) => fetchUnknown(files, fetching),
    findSizes: (digests) => artifacts.touchForSizes(digests),
    findStored: (units) => findStoredIds(db, units),
    open: (sha256) => artifacts.store.open(sha256),
    scratch: () => artifacts.store.scratch(),
    listHeld: (kinds) => listHeldIds(db, setId, kinds),
  }
}

/**
 * Brings files among the artifacts of which the upstream does not tell everything beforehand, and gives what was learnt,
 * in their order. They are checked against what is known; bytes that are stored already are not fetched.
 *
 * @throws AppError `upstream` that names every file that could not be had, when all others were fetched
 */
async function fetchUnknown(
  files: readonly UnknownFile[],
  options: Fetching,
): Promise<readonly (LearntFile | 'not modified')[]> {
  const sizes = await options.artifacts.touchForSizes(files.flatMap(({ sha256 }) => sha256 ?? []))
  const learnt = new Map<UnknownFile, LearntFile | 'not modified'>()
  const missing: UnknownFile[] = []
  for (const file of files) {
    const known = toLearnt(file, sizes)
    if (known === undefined) missing.push(file)
    else learnt.set(file, known)
  }
  await keepingAll(options, (staged) =>
    forAll(missing, options, async (file) => {
      // another file of the same bytes may have come meanwhile
      const known = toLearnt(file, sizes)
      if (known !== undefined) return void learnt.set(file, known)
      const fetched = await fetchOne(file, options)
      if (fetched === 'not modified') return void learnt.set(file, fetched)
      const { sha256, sizeBytes } = fetched.blob
      staged.push(fetched.blob)
      options.onFetched(sizeBytes)
      sizes.set(sha256, sizeBytes)
      return void learnt.set(file, { sha256, sizeBytes, validators: fetched.validators })
    }),
  )
  return files.map((file) => learnt.get(file) as LearntFile | 'not modified')
}

function toLearnt({ sha256 }: UnknownFile, sizes: ReadonlyMap<string, number>): LearntFile | undefined {
  const sizeBytes = sha256 === undefined ? undefined : sizes.get(sha256)
  return sha256 === undefined || sizeBytes === undefined ? undefined : { sha256, sizeBytes, validators: {} }
}

function fetchOne({ url, path, sha256, sizeBytes, digests, maxBytes, conditions }: UnknownFile, options: Fetching) {
  const { fetcher, upstream, signal, artifacts } = options
  return fetchChangedBlob(fetcher, url, {
    upstream,
    store: artifacts.store,
    expected: { ...digests, sha256, sizeBytes },
    maxBytes,
    subject: path,
    signal,
    conditions,
  })
}
