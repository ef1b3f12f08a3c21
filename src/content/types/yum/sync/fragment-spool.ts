import type { StagedBlob } from '../../../../platform/blobs/blob-store.ts'
import { AppError } from '../../../../platform/errors.ts'

/** What one of the package lists says of a package. */
export interface ListedFragment {
  readonly pkgid: string
  readonly inner: string
}

export interface SpooledList {
  /** What it is called in messages. */
  readonly list: string
  readonly fragments: AsyncIterable<{ readonly packages: readonly ListedFragment[] }>
  readonly isWanted: (pkgid: string) => boolean
}

type Stage = (content: AsyncIterable<Uint8Array>) => Promise<StagedBlob>

/** A range is read whole when at most so much of it is not wanted. */
const borneSurplus = 4

interface Place {
  readonly start: number
  readonly length: number
}

/**
 * What one of the package lists says, by package: the lists of an upstream may have their packages in different orders, and
 * are too large for the memory.
 */
export class FragmentSpool implements AsyncDisposable {
  readonly #list: string
  readonly #blob: StagedBlob
  readonly #places: ReadonlyMap<string, Place>

  private constructor(list: string, blob: StagedBlob, places: ReadonlyMap<string, Place>) {
    this.#list = list
    this.#blob = blob
    this.#places = places
  }

  /** Reads a list to its end, for the wanted packages. Where it names one twice, what it says first counts. */
  static async fill({ list, fragments, isWanted }: SpooledList, stage: Stage): Promise<FragmentSpool> {
    const places = new Map<string, Place>()
    return new FragmentSpool(list, await stage(spooled({ fragments, isWanted }, places)), places)
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
    await this.#blob.discard()
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
    await using opened = await this.#blob.open({ start, end: end - 1 })
    return Buffer.concat(await Array.fromAsync(opened.body as AsyncIterable<Buffer>))
  }
}

async function* spooled(
  { fragments, isWanted }: Pick<SpooledList, 'fragments' | 'isWanted'>,
  places: Map<string, Place>,
): AsyncGenerator<Uint8Array> {
  let start = 0
  for await (const { packages } of fragments) {
    const parts: Buffer[] = []
    for (const { pkgid, inner } of packages) {
      if (!isWanted(pkgid) || places.has(pkgid)) continue
      const bytes = Buffer.from(inner)
      places.set(pkgid, { start, length: bytes.length })
      start += bytes.length
      parts.push(bytes)
    }
    yield Buffer.concat(parts)
  }
}
