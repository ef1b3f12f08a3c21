import { promisify } from 'node:util'
import { gzip, zstdDecompress } from 'node:zlib'
import { compressFrame, type Frame, type ListName, readFrame } from '../packs/pack.ts'
import type { PackUse } from '../packs/pack-store.ts'
import type { ListPiece, OpenDigest } from './open-digest.ts'

const decompress = promisify(zstdDecompress)
const compressGzip = promisify(gzip)

const heads: Readonly<Record<ListName, (count: number) => string>> = {
  primary: (count) =>
    `<metadata xmlns="http://linux.duke.edu/metadata/common" xmlns:rpm="http://linux.duke.edu/metadata/rpm" packages="${count}">\n`,
  filelists: (count) => `<filelists xmlns="http://linux.duke.edu/metadata/filelists" packages="${count}">\n`,
  other: (count) => `<otherdata xmlns="http://linux.duke.edu/metadata/other" packages="${count}">\n`,
}
const tails: Readonly<Record<ListName, string>> = {
  primary: '</metadata>\n',
  filelists: '</filelists>\n',
  other: '</otherdata>\n',
}

export interface ListSource {
  readonly uses: readonly PackUse[]
  findFrame(packId: number): Promise<Frame>
  /** Is told all of the list. */
  readonly digest: OpenDigest
  readonly signal: AbortSignal
}

/**
 * One of the package lists, compressed with zstd. Packs of which all packages are wanted are taken as they are; of the others
 * the wanted packages are compressed anew.
 */
export class PackageList {
  readonly #list: ListName
  readonly #source: ListSource

  constructor(list: ListName, source: ListSource) {
    this.#list = list
    this.#source = source
  }

  async *compressed(): AsyncGenerator<Uint8Array> {
    for await (const piece of this.#pieces()) yield 'frame' in piece ? piece.frame : await compressFrame(piece.open)
  }

  /** For clients that do not know zstd: as members of gzip (RFC 1952 section 2.2). */
  async *gzipped(): AsyncGenerator<Uint8Array> {
    for await (const piece of this.#pieces())
      yield await compressGzip('open' in piece ? piece.open : await decompress(piece.frame))
  }

  async *#pieces(): AsyncGenerator<ListPiece> {
    const { digest, signal } = this.#source
    for await (const piece of this.#opened()) {
      signal.throwIfAborted()
      await digest.add(piece)
      yield piece
    }
  }

  async *#opened(): AsyncGenerator<ListPiece> {
    const { uses } = this.#source
    const count = uses.reduce((sum, { indexes }) => sum + indexes.length, 0)
    yield { open: Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${heads[this.#list](count)}`) }
    for (const use of uses) yield await this.#pieceOf(use)
    yield { open: Buffer.from(tails[this.#list]) }
  }

  async #pieceOf({ packId, packageCount, indexes }: PackUse): Promise<ListPiece> {
    const frame = await this.#source.findFrame(packId)
    if (indexes.length === packageCount) return { frame: frame.bytes }
    const parts = await readFrame(frame)
    return { open: Buffer.concat(indexes.map((index) => parts[index] as Buffer)) }
  }
}
