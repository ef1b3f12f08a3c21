import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../platform/errors.ts'
import type { DataPlane } from '../dataplane/data-plane.ts'
import { followFile } from './follow-file.ts'

/** The one classic capture of each link, under this id in the data plane. */
const captureId = 'classic'

/** Live captures: what runs, and how it is read while it grows. */
export class Captures {
  readonly #dataPlane: DataPlane
  readonly #active = new Map<string, { readonly path: string; readonly ended: AbortController }>()

  constructor(dataPlane: DataPlane) {
    this.#dataPlane = dataPlane
  }

  isActive(linkId: string): boolean {
    return this.#active.has(linkId)
  }

  /** @throws AppError `conflict` when one is active, `unavailable` when the file cannot be written */
  async start(linkId: string, folder: string, name: string): Promise<void> {
    if (this.#active.has(linkId)) throw new AppError('conflict', 'Packet capture is already active on this link')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const path = join(folder, name)
    await this.#dataPlane.startCapture(linkId, captureId, { path })
    this.#active.set(linkId, { path, ended: new AbortController() })
  }

  /** The file is complete when this resolves. Harmless when nothing is captured. */
  async stop(linkId: string): Promise<void> {
    if (!this.#active.has(linkId)) return
    await this.#dataPlane.stopCapture(linkId, captureId)
    this.noteEnd(linkId)
  }

  /** To be told of captures that ended with their link or by themselves. */
  noteEnd(linkId: string): void {
    this.#active.get(linkId)?.ended.abort()
    this.#active.delete(linkId)
  }

  /**
   * The bytes of a capture from its first one on: of an active one until it ends, of a finished one all there are.
   *
   * @throws AppError `conflict` when there is neither
   */
  async read(
    linkId: string,
    finishedPath: string | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const active = this.#active.get(linkId)
    if (active !== undefined) return followFile(active.path, { ended: active.ended.signal, signal })
    const isThere =
      finishedPath !== undefined &&
      (await stat(finishedPath).then(
        (found) => found.isFile(),
        () => false,
      ))
    if (!isThere) throw new AppError('conflict', 'This link has no active packet capture')
    return followFile(finishedPath, { ended: AbortSignal.abort(), signal })
  }
}
