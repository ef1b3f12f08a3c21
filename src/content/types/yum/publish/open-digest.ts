import { createHash } from 'node:crypto'
import { zstdDecompressSync } from 'node:zlib'
import { largestFrameBytes } from '../packs/pack.ts'

/** What a published list is uncompressed. */
export interface OpenFacts {
  readonly sha256: string
  readonly sizeBytes: number
}

/** A piece of a list, compressed or not. */
export type ListPiece = { readonly frame: Uint8Array } | { readonly open: Uint8Array }

export function bytesOf(piece: ListPiece): Uint8Array {
  return 'frame' in piece ? piece.frame : piece.open
}

/** Learns what a list is uncompressed, from its pieces in their order. */
export interface OpenDigest {
  add(piece: ListPiece): Promise<void>
  finish(): Promise<OpenFacts>
}

export class OwnOpenDigest implements OpenDigest {
  readonly #hash = createHash('sha256')
  #sizeBytes = 0

  async add(piece: ListPiece): Promise<void> {
    this.addNow(piece)
  }

  addNow(piece: ListPiece): void {
    const open = 'open' in piece ? piece.open : zstdDecompressSync(piece.frame, { maxOutputLength: largestFrameBytes })
    this.#hash.update(open)
    this.#sizeBytes += open.length
  }

  async finish(): Promise<OpenFacts> {
    return this.facts()
  }

  facts(): OpenFacts {
    return { sha256: this.#hash.copy().digest('hex'), sizeBytes: this.#sizeBytes }
  }
}
