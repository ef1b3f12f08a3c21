import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { compressFrame } from '../packs/pack.ts'
import type { OpenFacts } from './open-digest.ts'

const compressGzip = promisify(gzip)

/** A metadata file that is compressed while it is written, piece by piece. */
export class PublishedText {
  readonly #pieces: AsyncIterable<string>
  readonly #compress: (bytes: Buffer) => Promise<Buffer>
  readonly #hash = createHash('sha256')
  #openBytes = 0

  constructor(pieces: AsyncIterable<string>, { isGzip }: { readonly isGzip: boolean }) {
    this.#pieces = pieces
    this.#compress = isGzip ? compressGzip : compressFrame
  }

  /** What has been read of it so far; all of it in the end. */
  get open(): OpenFacts {
    return { sha256: this.#hash.copy().digest('hex'), sizeBytes: this.#openBytes }
  }

  async *compressed(): AsyncGenerator<Uint8Array> {
    for await (const piece of this.#pieces) {
      const bytes = Buffer.from(piece)
      this.#hash.update(bytes)
      this.#openBytes += bytes.length
      yield await this.#compress(bytes)
    }
  }
}
