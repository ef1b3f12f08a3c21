import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip, zstdDecompress } from 'node:zlib'
import { compressFrame, type Frame, type ListName, readFrame } from '../packs/pack.ts'
import type { PackUse } from '../packs/pack-store.ts'

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

/** What a published list is uncompressed. */
export interface OpenFacts {
  readonly sha256: string
  readonly sizeBytes: number
}

export interface ListSource {
  readonly uses: readonly PackUse[]
  findFrame(packId: number): Promise<Frame>
  readonly signal: AbortSignal
}

/**
 * One of the package lists, compressed with zstd. Packs of which all packages are wanted are taken as they are; of the others
 * the wanted packages are compressed anew.
 */
export class PackageList {
  readonly #list: ListName
  readonly #source: ListSource
  readonly #hash = createHash('sha256')
  #openBytes = 0

  constructor(list: ListName, source: ListSource) {
    this.#list = list
    this.#source = source
  }

  /** What has been read of it so far; all of it in the end. */
  get open(): OpenFacts {
    return { sha256: this.#hash.copy().digest('hex'), sizeBytes: this.#openBytes }
  }

  async *compressed(): AsyncGenerator<Uint8Array> {
    for await (const { open, frame } of this.#pieces()) yield frame ?? (await compressFrame(open))
  }

  /** For clients that do not know zstd: as members of gzip (RFC 1952 section 2.2). */
  async *gzipped(): AsyncGenerator<Uint8Array> {
    for await (const { open } of this.#pieces()) yield await compressGzip(open)
  }

  async *#pieces(): AsyncGenerator<Piece> {
    const { uses, signal } = this.#source
    const count = uses.reduce((sum, { indexes }) => sum + indexes.length, 0)
    yield this.#note({ open: Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${heads[this.#list](count)}`) })
    for (const use of uses) {
      signal.throwIfAborted()
      yield this.#note(await this.#pieceOf(use))
    }
    yield this.#note({ open: Buffer.from(tails[this.#list]) })
  }

  async #pieceOf({ packId, packageCount, indexes }: PackUse): Promise<Piece> {
    const frame = await this.#source.findFrame(packId)
    if (indexes.length === packageCount) return { open: await decompress(frame.bytes), frame: frame.bytes }
    const parts = await readFrame(frame)
    return { open: Buffer.concat(indexes.map((index) => parts[index] as Buffer)) }
  }

  #note(piece: Piece): Piece {
    this.#hash.update(piece.open)
    this.#openBytes += piece.open.length
    return piece
  }
}

interface Piece {
  readonly open: Buffer
  /** The same compressed, where it is known. */
  readonly frame?: Buffer
}
