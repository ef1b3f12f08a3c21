import type { GrowingBlob, StagedBlob } from '../../platform/blobs/blob-store.ts'
import type { SessionLocks } from '../../platform/db/session-locks.ts'
import { AppError, messageOf } from '../../platform/errors.ts'
import { fetchBlob } from '../../platform/fetch/fetch-blob.ts'
import { FetchError } from '../../platform/fetch/fetch-error.ts'
import type { Logger } from '../../platform/log.ts'
import type { RepositoryRecord } from '../repositories/repository-store.ts'
import { findRemoteFile, linkStoredFiles } from '../sets/remote-file-store.ts'
import { type ContentTaskParts, upstreamOf } from '../upkeep/repository-content.ts'
import { Arrival } from './arrival.ts'
import { Keeper } from './keeper.ts'
import { RecentSources, type Source } from './recent-sources.ts'
import { Turns } from './turns.ts'

/** A file that a repository serves and whose bytes are not stored yet. */
export interface WantedFile {
  readonly repositoryId: number
  readonly unitId: number
  readonly path: string
  readonly sha256: string
  readonly sizeBytes: number
}

export type OnDemandFilesParts = ContentTaskParts & { readonly locks: SessionLocks; readonly logger: Logger }

const defaultConcurrency = 10

interface Running {
  readonly arrival: Arrival
  /** Resolves when the bytes are stored, too, or when they never will be. */
  readonly ended: Promise<void>
}

/**
 * Brings the bytes of files when somebody asks for them: each file once, however many ask, in this process and in others.
 * They can be read as soon as they are proven, and are stored meanwhile. What was begun is finished though nobody waits any
 * more: whoever lost the connection comes back.
 */
export class OnDemandFiles implements AsyncDisposable {
  readonly #parts: OnDemandFilesParts
  readonly #keeper: Keeper
  readonly #sources: RecentSources
  readonly #running = new Map<string, Running>()
  readonly #turns = new Map<number, Turns>()
  readonly #stop = new AbortController()

  constructor(parts: OnDemandFilesParts) {
    this.#parts = parts
    this.#keeper = new Keeper(parts.db, parts.artifacts)
    this.#sources = new RecentSources(parts)
  }

  /** The file on its way; asks the upstream unless that was done already. */
  bring(file: WantedFile): Arrival {
    // each repository has its own upstream: what fails at one may be had from another
    const name = `${file.repositoryId} ${file.sha256}`
    const known = this.#running.get(name)
    if (known !== undefined) return known.arrival
    const arrival = new Arrival(file.sizeBytes)
    const ended = this.#run(name, file, arrival)
    this.#running.set(name, { arrival, ended })
    return arrival
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new AppError('unavailable', 'The server stops'))
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  async #run(name: string, file: WantedFile, arrival: Arrival): Promise<void> {
    const { locks, logger } = this.#parts
    try {
      await locks.holding(name, this.#stop.signal, () => this.#bring(file, arrival))
    } catch (error) {
      arrival.fail(error)
      logger.info(
        { repository: file.repositoryId, file: file.path, reason: messageOf(error) },
        'a file could not be brought',
      )
    } finally {
      this.#running.delete(name)
    }
  }

  async #bring(file: WantedFile, arrival: Arrival): Promise<void> {
    const { db, artifacts } = this.#parts
    const { path, sha256 } = file
    // another repository, or another process, may have brought it meanwhile
    await this.#keeper.settled(sha256)
    const isStored = (await artifacts.touch([sha256])).size > 0 && (await linkStoredFiles(db, [sha256])).size > 0
    if (isStored) return arrival.complete((range) => artifacts.store.open(sha256, range))
    const source = await this.#sources.find(file.repositoryId)
    if (source === undefined) throw new AppError('not_found', `Cannot find ${path}: its repository was deleted`)
    const onGrowing = (blob: GrowingBlob) => arrival.grow(blob)
    await using blob = await this.#turnsOf(source.repository).taking(() => this.#fetch(file, source, onGrowing))
    arrival.complete((range) => blob.open(range))
    await this.#keeper.keep(blob)
  }

  async #fetch(
    file: WantedFile,
    { repository, upstream }: Source,
    onGrowing: (blob: GrowingBlob) => void,
  ): Promise<StagedBlob> {
    const { db, artifacts, fetcher } = this.#parts
    const { path, sha256, sizeBytes, unitId } = file
    const url = await findRemoteFile(db, { rootId: repository.root_id, unitId, path })
    if (url === undefined)
      throw new AppError('not_found', `Cannot find ${path}: nobody knows where to fetch it from; sync the repository`)
    try {
      return await fetchBlob(fetcher, url, {
        upstream: upstream ?? (await upstreamOf(this.#parts, repository, url)),
        store: artifacts.store,
        expected: { sha256, sizeBytes },
        subject: path,
        signal: this.#stop.signal,
        onGrowing,
      })
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
