import { open, rename, rm } from 'node:fs/promises'
import type { AppError } from '../errors.ts'
import { openBlobFile } from './blob-file.ts'
import type { ByteRange, OpenedBlob, StagedBlob } from './blob-store.ts'
import type { CheckedBytes } from './incoming-bytes.ts'

export interface FileStaging {
  readonly bytes: CheckedBytes
  /** Where the bytes are, and where they go. */
  readonly temporary: string
  readonly target: string
  /** Makes the renames in the folder of the target durable. */
  readonly syncTargetFolder: () => Promise<void>
}

/** A checked temporary file of a `FileBlobStore`, which alone makes them. */
export class FileStagedBlob implements StagedBlob {
  readonly sha256: string
  readonly sizeBytes: number
  readonly digests: CheckedBytes['digests']
  readonly target: string
  readonly #staging: FileStaging
  #state: 'staged' | 'placed' | 'discarded' = 'staged'

  constructor(staging: FileStaging) {
    this.sha256 = staging.bytes.digests.sha256
    this.sizeBytes = staging.bytes.sizeBytes
    this.digests = staging.bytes.digests
    this.target = staging.target
    this.#staging = staging
  }

  async open(range?: ByteRange): Promise<OpenedBlob> {
    if (this.#state === 'placed') return openBlobFile(this.target, this.sha256, range)
    return openBlobFile(this.#staging.temporary, this.sha256, range).catch((error: AppError) => {
      // it may just be on its way to its place
      if (error.code !== 'not_found' || this.#state === 'discarded') throw error
      return openBlobFile(this.target, this.sha256, range)
    })
  }

  async commit(): Promise<void> {
    await this.place()
    await this.#staging.syncTargetFolder()
  }

  /**
   * Writes the bytes to the medium and renames them into place; that survives a power cut only when the folder is
   * synced afterwards. An existing file is replaced, never trusted: it could have been damaged since it was written.
   */
  async place(): Promise<void> {
    if (this.#state === 'placed') return
    const { temporary } = this.#staging
    const handle = await open(temporary, 'r+')
    try {
      // who removes bytes takes old ones for forgotten ones
      const now = new Date()
      await handle.utimes(now, now)
      await handle.datasync()
    } finally {
      await handle.close()
    }
    await rename(temporary, this.target)
    this.#state = 'placed'
  }

  async discard(): Promise<void> {
    if (this.#state !== 'staged') return
    this.#state = 'discarded'
    await rm(this.#staging.temporary, { force: true })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.discard()
  }
}
