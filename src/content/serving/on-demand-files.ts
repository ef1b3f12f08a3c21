import type { GrowingBlob } from '../../platform/blobs/blob-store.ts'
import type { SessionLocks } from '../../platform/db/session-locks.ts'
import { AppError } from '../../platform/errors.ts'
import { fetchBlob } from '../../platform/fetch/fetch-blob.ts'
import { FetchError } from '../../platform/fetch/fetch-error.ts'
import { findRepository, type RepositoryRecord } from '../repositories/repository-store.ts'
import { findRemoteFile, linkStoredFiles } from '../sets/remote-file-store.ts'
import { type ContentTaskParts, upstreamOf } from '../upkeep/repository-content.ts'
import { Arrival } from './arrival.ts'
import { Turns } from './turns.ts'

/** A file that a repository serves and whose bytes are not stored yet. */
export interface WantedFile {
  readonly repositoryId: number
  readonly unitId: number
  readonly path: string
  readonly sha256: string
  readonly sizeBytes: number
}

export type OnDemandFilesParts = ContentTaskParts & { readonly locks: SessionLocks }

type OnGrowing = (blob: GrowingBlob) => void

const defaultConcurrency = 10

/**
 * Brings the bytes of files when somebody asks for them: each file once, however many ask, in this process and in others.
 * What was begun is finished though nobody waits any more: whoever lost the connection comes back.
 */
export class OnDemandFiles implements AsyncDisposable {
  readonly #parts: OnDemandFilesParts
  readonly #arrivals = new Map<string, Arrival>()
  readonly #turns = new Map<number, Turns>()
  readonly #stop = new AbortController()

  constructor(parts: OnDemandFilesParts) {
    this.#parts = parts
  }

  /** The file on its way; asks the upstream unless that was done already. */
  bring(file: WantedFile): Arrival {
    // each repository has its own upstream: what fails at one may be had from another
    const name = `${file.repositoryId} ${file.sha256}`
    const known = this.#arrivals.get(name)
    if (known !== undefined) return known
    const arrival = new Arrival(file.sizeBytes, (onGrowing) =>
      this.#parts.locks.holding(name, this.#stop.signal, () => this.#bring(file, onGrowing)),
    )
    this.#arrivals.set(name, arrival)
    const forget = () => this.#arrivals.delete(name)
    arrival.ended.then(forget)
    return arrival
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new AppError('unavailable', 'The server stops'))
    await Promise.all([...this.#arrivals.values()].map(({ ended }) => ended))
  }

  async #bring(file: WantedFile, onGrowing: OnGrowing): Promise<void> {
    const { db, artifacts } = this.#parts
    const { path, sha256 } = file
    // another process may have brought it meanwhile
    if ((await artifacts.touch([sha256])).size === 0) {
      const repository = await findRepository(db, file.repositoryId)
      if (repository === undefined) throw new AppError('not_found', `Cannot find ${path}: its repository was deleted`)
      await this.#turnsOf(repository).taking(() => this.#fetch(file, repository, onGrowing))
    }
    await linkStoredFiles(db, sha256)
  }

  async #fetch(file: WantedFile, repository: RepositoryRecord, onGrowing: OnGrowing): Promise<void> {
    const { db, artifacts, fetcher } = this.#parts
    const { path, sha256, sizeBytes, unitId } = file
    const url = await findRemoteFile(db, { rootId: repository.root_id, unitId, path })
    if (url === undefined)
      throw new AppError('not_found', `Cannot find ${path}: nobody knows where to fetch it from; sync the repository`)
    try {
      await using blob = await fetchBlob(fetcher, url, {
        upstream: await upstreamOf(this.#parts, repository, repository.url ?? url),
        store: artifacts.store,
        expected: { sha256, sizeBytes },
        subject: path,
        signal: this.#stop.signal,
        onGrowing,
      })
      await artifacts.keep([blob])
    } catch (error) {
      throw isGone(error)
        ? new AppError('not_found', `Cannot find ${path}: its upstream has it no more`, { cause: error })
        : error
    }
  }

  #turnsOf({ root_id: rootId, download_concurrency }: RepositoryRecord): Turns {
    const count = download_concurrency ?? defaultConcurrency
    const known = this.#turns.get(rootId)
    if (known?.count === count) return known
    const turns = new Turns(count)
    this.#turns.set(rootId, turns)
    return turns
  }
}

function isGone(error: unknown): boolean {
  return error instanceof FetchError && (error.status === 404 || error.status === 410)
}
