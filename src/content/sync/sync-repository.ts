import type { Kysely } from 'kysely'
import type { SecretBox } from '../../platform/auth/secret-box.ts'
import type { Artifacts } from '../../platform/blobs/artifacts.ts'
import { AppError } from '../../platform/errors.ts'
import type { Upstream } from '../../platform/fetch/fetch-options.ts'
import type { Fetcher } from '../../platform/fetch/fetcher.ts'
import type { TaskContext, TaskHandler } from '../../platform/tasks/task-handler.ts'
import type { ContentType, DiscoveredUnit, Discovery } from '../content-type.ts'
import { findPublishedVersion, purgePublications } from '../publications/publication-store.ts'
import { publish } from '../publications/publish.ts'
import { passwordPurpose } from '../repositories/repository-service.ts'
import { findRepository, type RepositoryRecord, setSyncState } from '../repositories/repository-store.ts'
import { createVersion, findLatestVersion, listLeavingUnits, purgeVersions } from '../sets/content-set-store.ts'
import { clearStaging, saveUnitFiles, saveUnits, stageUnits } from '../sets/unit-store.ts'
import type { ContentTables } from '../tables.ts'
import { fetchMissing } from './fetch-missing.ts'
import { syncKind } from './sync-task.ts'

export interface SyncParts {
  readonly db: Kysely<ContentTables>
  readonly artifacts: Artifacts
  readonly fetcher: Fetcher
  readonly secrets: SecretBox
  readonly types: ReadonlyMap<string, ContentType>
}

const defaultConcurrency = 10

/** So many removed items are named in a task's output; more are only counted. */
const namedItems = 1000

/**
 * Runs the sync of one repository:
 *
 *   discover ──unchanged──▶ publish what is not published yet, end
 *      └─batches─▶ save units, fetch missing bytes, stage ──▶ one transaction: new version ──▶ publish
 *
 * Clients are served the old publication until the last step. A task that is killed anywhere starts over and finds what it
 * had fetched.
 */
export function syncHandler(parts: SyncParts): TaskHandler {
  return { kind: syncKind, run: (task) => new Sync(parts, task).run() }
}

/** What a sync remembers of the upstream, and of what else it depends on. */
interface SyncState extends Record<string, unknown> {
  readonly url: string
  readonly mirrors: boolean
  readonly version: number
  readonly upstream: Record<string, unknown>
}

interface Source {
  readonly repository: RepositoryRecord
  readonly type: ContentType
  readonly upstream: Upstream
}

class Sync {
  readonly #parts: SyncParts
  readonly #task: TaskContext
  #fetchedFiles = 0
  #fetchedBytes = 0
  #foundUnits = 0

  constructor(parts: SyncParts, task: TaskContext) {
    this.#parts = parts
    this.#task = task
  }

  async run(): Promise<void> {
    const source = await this.#source()
    await clearStaging(this.#parts.db, this.#task.id)
    const discovery = await this.#discover(source)
    const changed = discovery.outcome === 'changed' ? await this.#take(source, discovery) : false
    const published = await this.#publishLatest(source)
    Object.assign(this.#task.output, { contents_changed: changed || published })
    await this.#purge(source.repository)
  }

  async #source(): Promise<Source> {
    const { id } = this.#task.input['repository'] as { id: number }
    const repository = await findRepository(this.#parts.db, id)
    if (repository === undefined) throw new AppError('not_found', `Cannot sync repository "${id}": it was deleted`)
    if (repository.url === null)
      throw new AppError('invalid', `Cannot sync repository "${repository.name}": it has no upstream`)
    const type = this.#parts.types.get(repository.content_type)
    if (type === undefined)
      throw new AppError(
        'invalid',
        `Cannot sync repository "${repository.name}": "${repository.content_type}" is unknown`,
      )
    return { repository, type, upstream: this.#upstream(repository, repository.url) }
  }

  #upstream(
    { upstream_username, upstream_password_sealed: sealed, verify_ssl_on_sync }: RepositoryRecord,
    url: string,
  ): Upstream {
    const password = sealed === null ? undefined : this.#parts.secrets.open(sealed, passwordPurpose)
    return { url, username: upstream_username ?? undefined, password, tls: { verify: verify_ssl_on_sync } }
  }

  async #discover({ repository, type, upstream }: Source): Promise<Discovery> {
    this.#task.progress(0, 'Asking the upstream')
    const previous = await this.#usableState(repository)
    return type.discover({ upstream, fetcher: this.#parts.fetcher, previous, signal: this.#task.signal })
  }

  /** What was learnt about another URL, or before somebody else changed the content, says nothing about this sync. */
  async #usableState({ sync_state, url, mirror_on_sync, set_id }: RepositoryRecord): Promise<unknown> {
    const state = sync_state as SyncState | null
    const isSame = state?.url === url && state?.mirrors === mirror_on_sync
    return isSame && state?.version === (await findLatestVersion(this.#parts.db, set_id)) ? state?.upstream : undefined
  }

  async #take(source: Source, { units, state }: Extract<Discovery, { outcome: 'changed' }>): Promise<boolean> {
    for await (const batch of units) await this.#takeBatch(source, batch)
    return this.#makeVersion(source.repository, state)
  }

  async #takeBatch({ repository, type, upstream }: Source, batch: readonly DiscoveredUnit[]): Promise<void> {
    const { db, artifacts, fetcher } = this.#parts
    this.#foundUnits += batch.length
    const stored = await fetchMissing(
      batch.flatMap(({ files }) => files),
      {
        artifacts,
        fetcher,
        upstream,
        concurrency: repository.download_concurrency ?? defaultConcurrency,
        signal: this.#task.signal,
        onFetched: ({ sizeBytes }) => this.#countFetched(sizeBytes),
      },
    )
    await db.transaction().execute(async (tx) => {
      const saved = await saveUnits(tx, batch)
      await type.saveUnits(tx as unknown as Kysely<unknown>, saved)
      await saveUnitFiles(tx, saved, stored)
      await stageUnits(
        tx,
        this.#task.id,
        saved.map(({ id }) => id),
      )
    })
  }

  #countFetched(sizeBytes: number): void {
    this.#fetchedFiles += 1
    this.#fetchedBytes += sizeBytes
    Object.assign(this.#task.output, { fetched_files: this.#fetchedFiles, fetched_bytes: this.#fetchedBytes })
    this.#task.progress(0.5, `Fetched ${this.#fetchedFiles} files of ${this.#foundUnits} found so far`)
  }

  async #makeVersion(
    { id, set_id: setId, mirror_on_sync, url }: RepositoryRecord,
    upstream: Record<string, unknown>,
  ): Promise<boolean> {
    const { db } = this.#parts
    const staged = { setId, taskId: this.#task.id }
    const leaving = mirror_on_sync ? await listLeavingUnits(db, staged, namedItems) : []
    const { version, added, removed } = await this.#task.commit(db, async (tx) => {
      const result = await createVersion(tx, { ...staged, removesOthers: mirror_on_sync })
      await clearStaging(tx, this.#task.id)
      await setSyncState(tx, id, { url, mirrors: mirror_on_sync, version: result.version, upstream })
      return result
    })
    Object.assign(this.#task.output, { version, added, removed, removed_names: leaving })
    return added + removed > 0
  }

  /** Publishes the latest version unless clients have it already. */
  async #publishLatest({ repository, type }: Source): Promise<boolean> {
    const { db, artifacts } = this.#parts
    const version = await findLatestVersion(db, repository.set_id)
    if (version === (await findPublishedVersion(db, repository.id))) return false
    this.#task.progress(0.9, 'Publishing')
    await publish({
      db,
      artifacts,
      type,
      repositoryId: repository.id,
      content: { setId: repository.set_id, version },
      signal: this.#task.signal,
      commit: (write) => this.#task.commit(db, write),
    })
    return true
  }

  async #purge({ set_id }: RepositoryRecord): Promise<void> {
    await this.#task.commit(this.#parts.db, async (tx) => {
      await purgePublications(tx, set_id)
      await purgeVersions(tx, set_id)
    })
  }
}
