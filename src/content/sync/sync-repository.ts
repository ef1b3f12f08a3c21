import type { Kysely, Transaction } from 'kysely'
import { AppError } from '../../platform/errors.ts'
import type { Upstream } from '../../platform/fetch/fetch-options.ts'
import type { TaskContext, TaskHandler } from '../../platform/tasks/task-handler.ts'
import type { DiscoveredUnit, Discovery, StoredUnit } from '../content-type.ts'
import { findPublishedVersion } from '../publications/publication-store.ts'
import { attributesOf, type RepositoryRecord, setLastSyncTask, setSyncState } from '../repositories/repository-store.ts'
import { createVersion, findLatestVersion, listLeavingUnits } from '../sets/content-set-store.ts'
import { linkStoredFiles, saveRemoteFiles } from '../sets/remote-file-store.ts'
import { clearStaging, keepUnits, saveUnitFiles, saveUnits, stageUnits } from '../sets/unit-store.ts'
import type { ContentTables } from '../tables.ts'
import {
  type ContentTaskParts,
  publishLatest,
  purge,
  type Subject,
  subjectOf,
  upstreamOf,
} from '../upkeep/repository-content.ts'
import { findSignatureCheck } from '../upkeep/repository-signatures.ts'
import { verifyStored } from '../upkeep/verify-checksums.ts'
import { type Fetching, fetchMissing } from './fetch-missing.ts'
import { discoverContext } from './fetch-unknown.ts'
import { type SyncOptions, syncKind } from './sync-task.ts'

const defaultConcurrency = 10
/** So many batches of units are written to the database at a time. */
const savedAtOnce = 2

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
export function syncHandler(parts: ContentTaskParts): TaskHandler {
  return { kind: syncKind, run: (task) => new Sync(parts, task).run() }
}

/** What a sync remembers of the upstream, and of what else it depends on. */
interface SyncState extends Record<string, unknown> {
  readonly url: string
  readonly mirrors: boolean
  /** Whether all bytes were fetched, too. */
  readonly isFetched: boolean
  readonly version: number
  readonly upstream: Record<string, unknown>
}

interface Source extends Subject {
  readonly upstream: Upstream
  readonly options: SyncOptions
  readonly mirrors: boolean
  /** Bytes are fetched when somebody asks for them. */
  readonly isOnDemand: boolean
}

interface Found {
  readonly repository: RepositoryRecord
  readonly batch: readonly DiscoveredUnit[]
  /** The digests of the batch whose bytes are there. */
  readonly stored: ReadonlySet<string>
}

class Sync {
  readonly #parts: ContentTaskParts
  readonly #task: TaskContext
  #fetchedFiles = 0
  #fetchedBytes = 0
  #foundUnits = 0

  constructor(parts: ContentTaskParts, task: TaskContext) {
    this.#parts = parts
    this.#task = task
  }

  async run(): Promise<void> {
    const source = await this.#source()
    // who asked for the sync of a whole product named no task of this repository
    await setLastSyncTask(this.#parts.db, source.repository.id, this.#task.id)
    await clearStaging(this.#parts.db, this.#task.id)
    const discovery = await this.#discover(source)
    const changed = discovery.outcome === 'changed' ? await this.#take(source, discovery) : false
    const published = await this.#publishLatest(source)
    Object.assign(this.#task.output, { contents_changed: changed || published })
    if (source.options.validateContents === true) await verifyStored(this.#parts, this.#task, source)
  }

  async #source(): Promise<Source> {
    const subject = await subjectOf(this.#parts, this.#task)
    const { repository } = subject
    const options = (this.#task.input['options'] ?? {}) as SyncOptions
    const url = options.sourceUrl ?? repository.url
    if (url === null) throw new AppError('invalid', `Cannot sync repository "${repository.name}": it has no upstream`)
    const mirrors = repository.mirror_on_sync && options.incremental !== true
    const isOnDemand = repository.download_policy === 'on_demand'
    return { ...subject, options, mirrors, isOnDemand, upstream: await upstreamOf(this.#parts, repository, url) }
  }

  async #discover(source: Source): Promise<Discovery> {
    this.#task.progress(0, 'Asking the upstream')
    const previous = await this.#usableState(source)
    const { repository, isOnDemand } = source
    const checkSignature = await findSignatureCheck(this.#parts, repository)
    const known = {
      previous,
      isOnDemand,
      attributes: attributesOf(repository),
      checkSignature,
      setId: repository.set_id,
    }
    return source.work.discover(discoverContext(this.#fetching(source), known))
  }

  #fetching({ repository, upstream }: Source): Fetching {
    const { db, artifacts, fetcher } = this.#parts
    return {
      db,
      artifacts,
      fetcher,
      upstream,
      concurrency: repository.download_concurrency ?? defaultConcurrency,
      signal: this.#task.signal,
      onFetched: (sizeBytes) => this.#countFetched(sizeBytes),
    }
  }

  /** What was learnt about another URL, or before somebody else changed the content, says nothing about this sync. */
  async #usableState({ repository, upstream: { url }, options, mirrors, isOnDemand }: Source): Promise<unknown> {
    if (options.skipMetadataCheck === true || options.validateContents === true) return undefined
    const state = repository.sync_state as SyncState | null
    const isSame = state?.url === url && (state.mirrors || !mirrors) && (state.isFetched || isOnDemand)
    const isLatest = state?.version === (await findLatestVersion(this.#parts.db, repository.set_id))
    return isSame && isLatest ? state?.upstream : undefined
  }

  async #take(source: Source, { units, state }: Extract<Discovery, { outcome: 'changed' }>): Promise<boolean> {
    // the next bytes come while the last ones are noted
    const saving: Promise<void>[] = []
    try {
      for await (const batch of units) {
        const stored = await this.#stored(source, batch)
        if (saving.length >= savedAtOnce) await saving.shift()
        const saved = this.#save(source, batch, stored)
        saved.catch(() => undefined)
        saving.push(saved)
      }
      await Promise.all(saving)
    } finally {
      await Promise.allSettled(saving)
    }
    return this.#makeVersion(source, state)
  }

  async #save(
    { repository, work, isOnDemand }: Source,
    batch: readonly DiscoveredUnit[],
    stored: ReadonlySet<string>,
  ): Promise<void> {
    const { db } = this.#parts
    await db.transaction().execute(async (tx) => {
      const fresh = await saveUnits(
        tx,
        batch.filter(({ storedId }) => storedId === undefined),
      )
      await work.saveUnits?.(tx as unknown as Kysely<unknown>, fresh)
      await saveUnitFiles(tx, fresh, stored)
      const units = [...fresh, ...(await this.#keep(tx, { repository, batch, stored }))]
      if (isOnDemand) await saveRemoteFiles(tx, repository.root_id, { units, stored })
      const ids = units.map(({ id }) => id)
      await stageUnits(tx, this.#task.id, ids)
    })
  }

  /** What is known already costs much less. */
  async #keep(
    tx: Transaction<ContentTables>,
    { repository, batch, stored }: Found,
  ): Promise<StoredUnit<DiscoveredUnit>[]> {
    const known = batch.flatMap((unit) => (unit.storedId === undefined ? [] : [{ id: unit.storedId, unit }]))
    if (known.length === 0) return []
    await keepUnits(
      tx,
      repository.set_id,
      known.map(({ id }) => id),
    )
    const digests = known.flatMap(({ unit }) => unit.files.map(({ sha256 }) => sha256))
    await linkStoredFiles(
      tx,
      digests.filter((sha256) => stored.has(sha256)),
    )
    return known
  }

  /** The digests of a batch whose bytes are there: all of them, unless the rest can wait. */
  async #stored(source: Source, batch: readonly DiscoveredUnit[]): Promise<Set<string>> {
    this.#foundUnits += batch.length
    const files = batch.flatMap((unit) => unit.files)
    if (source.isOnDemand) {
      this.#task.progress(0.5, `Found ${this.#foundUnits} units so far`)
      return this.#parts.artifacts.touch(files.map(({ sha256 }) => sha256))
    }
    return fetchMissing(files, this.#fetching(source))
  }

  #countFetched(sizeBytes: number): void {
    this.#fetchedFiles += 1
    this.#fetchedBytes += sizeBytes
    Object.assign(this.#task.output, { fetched_files: this.#fetchedFiles, fetched_bytes: this.#fetchedBytes })
    this.#task.progress(0.5, `Fetched ${this.#fetchedFiles} files of ${this.#foundUnits} found so far`)
  }

  async #makeVersion(source: Source, upstream: Record<string, unknown>): Promise<boolean> {
    const { db } = this.#parts
    const {
      mirrors,
      isOnDemand,
      upstream: { url },
      repository: { id, set_id: setId, content_type: type },
    } = source
    const staged = { setId, taskId: this.#task.id }
    const leaving = mirrors ? await listLeavingUnits(db, staged, namedItems) : []
    const kinds = this.#parts.types.get(type)?.unitKinds.filter(({ isSingle }) => isSingle === true) ?? []
    const singleKinds = kinds.map(({ kind }) => kind)
    const { version, added, removed } = await this.#task.commit(db, async (tx) => {
      const result = await createVersion(tx, { ...staged, removesOthers: mirrors, singleKinds })
      await clearStaging(tx, this.#task.id)
      await setSyncState(tx, id, {
        url,
        mirrors,
        isFetched: !isOnDemand,
        version: result.version,
        upstream,
      })
      return result
    })
    Object.assign(this.#task.output, { version, added, removed, removed_names: leaving })
    return added + removed > 0
  }

  /** Publishes the latest version unless clients have it already. */
  async #publishLatest(source: Source): Promise<boolean> {
    const { id, set_id } = source.repository
    const { db } = this.#parts
    const isPublished = (await findLatestVersion(db, set_id)) === (await findPublishedVersion(db, id))
    if (isPublished && source.options.skipMetadataCheck !== true) {
      await purge(this.#parts, this.#task, source)
      return false
    }
    await publishLatest(this.#parts, this.#task, source)
    return !isPublished
  }
}
