import type { ScratchFile } from '../../../../platform/blobs/blob-store.ts'
import { AppError } from '../../../../platform/errors.ts'
import { siblingModule } from '../../../../platform/module-path.ts'
import { runInThread } from '../../../../platform/threads/run-in-thread.ts'
import type { DiscoverContext } from '../../../content-type.ts'
import { fillSpool, type Spooled, type SpoolOrder } from './fill-spool.ts'
import type { StoredMetadata } from './open-metadata.ts'

/** Lists that take more than this, compressed, are read in a thread. */
const threadBytes = 256 * 1024
const heapMegabytes = 1024
/** A range is read whole when at most so much of it is not wanted. */
const borneSurplus = 4

interface Place {
  readonly start: number
  readonly length: number
}

/** What is to be known of packages by one of the longer lists. */
export interface SpoolSource {
  readonly list: SpoolOrder['list']
  readonly file: StoredMetadata
  /** The ids of packages of which nothing needs to be known. */
  readonly known: readonly string[]
}

/**
 * What one of the package lists says, by package: the lists of an upstream may have their packages in different orders, and
 * are too large for the memory.
 */
export class FragmentSpool implements AsyncDisposable {
  readonly #list: string
  readonly #file: ScratchFile
  readonly #places: ReadonlyMap<string, Place>

  private constructor(list: string, file: ScratchFile, spooled: Spooled) {
    this.#list = list
    this.#file = file
    this.#places = placesOf(spooled)
  }

  /** @throws AppError as `fillSpool` does */
  static async fill(context: DiscoverContext, { list, file, known }: SpoolSource): Promise<FragmentSpool> {
    const { signal } = context
    await using opened = new AsyncDisposableStack()
    const source = opened.use(await context.open(file.sha256))
    const target = opened.use(await context.scratch())
    if (source.fd === undefined) throw new AppError('internal', 'Cannot read metadata that is not in a file')
    const order: SpoolOrder = { list, file, sourceFd: source.fd, targetFd: target.fd, known }
    const spooled =
      file.sizeBytes > threadBytes
        ? await runInThread<Spooled>(siblingModule(import.meta, 'fill-spool-thread'), order, { signal, heapMegabytes })
        : await fillSpool(order, signal)
    await source[Symbol.asyncDispose]()
    const spool = new FragmentSpool(`${list}.xml`, target, spooled)
    opened.move()
    return spool
  }

  get size(): number {
    return this.#places.size
  }

  /**
   * How long is what the list says of a package.
   *
   * @throws AppError `upstream` that names a package of which it says nothing
   */
  sizeOf(pkgid: string): number {
    return this.#placeOf(pkgid).length
  }

  /**
   * Gives what the list says of some packages, in their order.
   *
   * @throws AppError `upstream` that names a package of which it says nothing
   */
  async read(pkgids: readonly string[]): Promise<string[]> {
    const places = pkgids.map((pkgid) => this.#placeOf(pkgid))
    const start = Math.min(...places.map((place) => place.start))
    const end = Math.max(...places.map((place) => place.start + place.length))
    const wanted = places.reduce((sum, { length }) => sum + length, 0)
    if (end - start > borneSurplus * wanted) return Promise.all(places.map((place) => this.#readOne(place)))
    const bytes = await this.#readRange(start, end)
    return places.map((place) => bytes.toString('utf8', place.start - start, place.start - start + place.length))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]()
  }

  #placeOf(pkgid: string): Place {
    const place = this.#places.get(pkgid)
    if (place !== undefined) return place
    throw new AppError('upstream', `Cannot read the metadata: ${this.#list} says nothing of the package ${pkgid}`)
  }

  async #readOne({ start, length }: Place): Promise<string> {
    return String(await this.#readRange(start, start + length))
  }

  async #readRange(start: number, end: number): Promise<Buffer> {
    if (end <= start) return Buffer.alloc(0)
    return this.#file.read(start, end - start)
  }
}

function placesOf({ pkgids, lengths }: Spooled): Map<string, Place> {
  const places = new Map<string, Place>()
  let start = 0
  for (const [index, pkgid] of pkgids.entries()) {
    const length = lengths[index] ?? 0
    places.set(pkgid, { start, length })
    start += length
  }
  return places
}
