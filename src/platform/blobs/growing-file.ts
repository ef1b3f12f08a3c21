import type { FileHandle } from 'node:fs/promises'
import type { GrowingBlob } from './blob-store.ts'

/** A temporary file of a `FileBlobStore` while it is written. */
export class GrowingFile implements GrowingBlob {
  sizeBytes = 0
  isOpen = true
  readonly #handle: FileHandle

  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  async read(start: number, maxBytes: number): Promise<Uint8Array> {
    if (!this.isOpen) return new Uint8Array()
    const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(maxBytes, this.sizeBytes - start)))
    const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, start)
    return buffer.subarray(0, bytesRead)
  }
}
