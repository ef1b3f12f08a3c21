import { createHash } from 'node:crypto'
import { FetchError } from '../../../platform/fetch/fetch-error.ts'
import type { FetchedBody, Validators } from '../../../platform/fetch/fetch-options.ts'
import { validatorsOf } from '../../../platform/fetch/validators.ts'
import type { DiscoverContext, Discovery } from '../../content-type.ts'
import { discoverListing, type ListingState } from './discover-listing.ts'
import { checksumUnits, manifestUnits, type UnitsOfList } from './list-units.ts'
import { UpstreamFolder } from './upstream-folder.ts'

/** A text of an upstream that tells the digests of its files. */
interface ListKind {
  readonly name: string
  readonly read: (content: AsyncIterable<Uint8Array>) => Promise<UnitsOfList>
}

interface ListState {
  readonly source: string
  readonly validators: Validators
  readonly sha256: string
}

interface FoundList {
  readonly state: ListState
  readonly units: UnitsOfList
}

/** In the order of preference: a manifest tells the sizes, too. */
const listKinds: readonly ListKind[] = [manifestUnits, checksumUnits]

/**
 * Finds the files of an upstream by its PULP_MANIFEST, or else by its SHA256SUMS, or else by the listing of its folder. A
 * URL may name one of the first two itself. The list that was used the last time is asked for first, and only for a changed
 * one; where the upstream cannot tell, the list's own bytes do.
 */
export async function discoverFiles(context: DiscoverContext): Promise<Discovery> {
  const folder = new UpstreamFolder(context.upstream.url)
  const known = context.previous as ListState | ListingState | undefined
  const list = await new ListSearch(context, folder, known).find()
  if (list === 'unchanged') return { outcome: 'unchanged' }
  if (list === undefined)
    return discoverListing(context, folder, known !== undefined && 'files' in known ? known : undefined)
  return { outcome: 'changed', state: { ...list.state }, units: list.units(context, folder) }
}

class ListSearch {
  readonly #context: DiscoverContext
  readonly #folder: UpstreamFolder
  readonly #known: ListState | undefined

  constructor(context: DiscoverContext, folder: UpstreamFolder, known: ListState | ListingState | undefined) {
    this.#context = context
    this.#folder = folder
    this.#known = known !== undefined && 'sha256' in known ? known : undefined
  }

  async find(): Promise<FoundList | 'unchanged' | undefined> {
    const named = listKinds.find(({ name }) => name === this.#folder.namedList)
    if (named !== undefined) return this.#read(named)
    const last = listKinds.find(({ name }) => name === this.#known?.source)
    const found = last === undefined ? undefined : await this.#readIfThere(last)
    if (found === 'unchanged') return found
    for (const kind of listKinds) {
      const list = kind === last ? found : await this.#readIfThere(kind)
      if (list !== undefined) return list
    }
    return undefined
  }

  async #readIfThere(kind: ListKind): Promise<FoundList | 'unchanged' | undefined> {
    try {
      return await this.#read(kind)
    } catch (error) {
      if (error instanceof FetchError && error.status === 404) return undefined
      throw error
    }
  }

  #read(kind: ListKind): Promise<FoundList | 'unchanged'> {
    const { upstream, fetcher, signal } = this.#context
    const known = kind.name === this.#known?.source ? this.#known : undefined
    const options = { upstream, signal, conditions: known?.validators ?? {} }
    // read whole before anything is fetched: a connection that is held open meanwhile would be cut by the upstream
    return fetcher.read(this.#folder.below(kind.name), options, async (answer) => {
      const list = await readList(kind, answer)
      return list === undefined || list.state.sha256 === known?.sha256 ? 'unchanged' : list
    })
  }
}

async function readList(kind: ListKind, { status, headers, body }: FetchedBody): Promise<FoundList | undefined> {
  if (status === 304) return undefined
  const hash = createHash('sha256')
  const units = await kind.read(hashed(body, hash))
  return { state: { source: kind.name, validators: validatorsOf(headers), sha256: hash.digest('hex') }, units }
}

async function* hashed(body: AsyncIterable<Uint8Array>, hash: { update(bytes: Uint8Array): unknown }) {
  for await (const chunk of body) {
    hash.update(chunk)
    yield chunk
  }
}
