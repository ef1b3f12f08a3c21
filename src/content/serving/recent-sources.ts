import type { Upstream } from '../../platform/fetch/fetch-options.ts'
import { findRepository, type RepositoryRecord } from '../repositories/repository-store.ts'
import { type ContentTaskParts, upstreamOf } from '../upkeep/repository-content.ts'

/** A repository with the upstream that its files are fetched from; undefined when it has none any more. */
export interface Source {
  readonly repository: RepositoryRecord
  readonly upstream: Upstream | undefined
}

interface Known {
  readonly askedAtMs: number
  readonly source: Promise<Source | undefined>
}

/** As long as anything else that clients are served may be old. */
const longestMs = 1000
const mostKnown = 1000

/** What the files of repositories are fetched by, asked for once a second though many files are wanted. */
export class RecentSources {
  readonly #parts: ContentTaskParts
  readonly #known = new Map<number, Known>()

  constructor(parts: ContentTaskParts) {
    this.#parts = parts
  }

  /** Undefined when the repository was deleted. */
  find(repositoryId: number): Promise<Source | undefined> {
    const nowMs = performance.now()
    const known = this.#known.get(repositoryId)
    if (known !== undefined && nowMs - known.askedAtMs < longestMs) return known.source
    if (this.#known.size >= mostKnown) this.#known.clear()
    const source = this.#load(repositoryId)
    this.#known.set(repositoryId, { askedAtMs: nowMs, source })
    return source
  }

  async #load(repositoryId: number): Promise<Source | undefined> {
    const repository = await findRepository(this.#parts.db, repositoryId)
    if (repository === undefined) return undefined
    const { url } = repository
    return { repository, upstream: url === null ? undefined : await upstreamOf(this.#parts, repository, url) }
  }
}
