import type { Kysely, Transaction } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { AppError, invalidField, notFound } from '../../platform/errors.ts'
import type { TaskRow } from '../../platform/tasks/tables.ts'
import type { TaskService } from '../../platform/tasks/task-service.ts'
import type { SyncOption } from '../content-type.ts'
import type { CredentialService } from '../credentials/credential-service.ts'
import { findPresentUnits } from '../sets/unit-removal-store.ts'
import { type SyncOptions, syncKind, syncWork } from '../sync/sync-task.ts'
import type { ContentTables } from '../tables.ts'
import { contentTypes } from '../types/index.ts'
import { reclaimTask } from '../upkeep/reclaim-space.ts'
import { removalWork } from '../upkeep/remove-content.ts'
import { republishWork } from '../upkeep/republish.ts'
import { verifyWork } from '../upkeep/verify-checksums.ts'
import { deleteRepository } from './repository-deletion.ts'
import type { RepositoryService } from './repository-service.ts'
import { findRepository, lockRepository, type RepositoryRecord, setLastSyncTask } from './repository-store.ts'
import { type RepositoryWork, repositoryTask } from './repository-task.ts'
import { parseUpstreamUrl } from './repository-url.ts'

/** How long the tasks of a repository that is deleted may take to heed that they are cancelled. */
const endGraceMs = 20_000
/** How long the answer to a removal waits for it; afterwards it tells of a task that is still running. */
const removalWaitMs = 30_000

export interface Removal {
  /** Ids of units, also as text. */
  readonly ids: readonly (number | string)[]
  /** The label of their kind; the type's default when it is not given. */
  readonly contentType?: string | undefined
}

export interface RepositoryOperationsParts {
  readonly db: Kysely<ContentTables>
  readonly repositories: RepositoryService
  readonly tasks: TaskService
  readonly credentials: CredentialService
}

const editing = { role: 'editor', permission: 'edit_products' } as const

/** What can be done with a repository besides describing it. */
export class RepositoryOperations {
  readonly #parts: RepositoryOperationsParts

  constructor(parts: RepositoryOperationsParts) {
    this.#parts = parts
  }

  /**
   * Puts a sync into the repository's queue.
   *
   * @throws AppError `invalid` when there is nowhere to sync from, or an option is not for this type
   */
  async startSync(actor: Actor, id: number, options: SyncOptions): Promise<TaskRow> {
    const permission = { role: 'editor', permission: 'sync_products' } as const
    const repository = await this.#parts.repositories.getEditable(actor, id, permission)
    if (options.sourceUrl !== undefined) parseUpstreamUrl(options.sourceUrl, 'source_url')
    if (repository.url === null && options.sourceUrl === undefined)
      throw invalidField('url', 'is not set: there is no upstream to sync from')
    refuseOption(repository, 'skip_metadata_check', options.skipMetadataCheck)
    refuseOption(repository, 'validate_contents', options.validateContents)
    return this.#enqueue(actor, repository, syncWork(options))
  }

  async startRepublish(actor: Actor, id: number): Promise<TaskRow> {
    return this.#enqueue(actor, await this.#parts.repositories.getServed(actor, id, editing), republishWork)
  }

  async startVerification(actor: Actor, id: number): Promise<TaskRow> {
    return this.#enqueue(actor, await this.#parts.repositories.getServed(actor, id, editing), verifyWork)
  }

  /**
   * Takes units out, and waits a while for it.
   *
   * @throws AppError `invalid` that names the ids that are not in the repository
   */
  async removeContent(
    actor: Actor,
    id: number,
    { removal, signal }: { removal: Removal; signal: AbortSignal },
  ): Promise<TaskRow> {
    const { db, repositories, tasks } = this.#parts
    const repository = await repositories.getEditable(actor, id, editing)
    const kind = removableKind(repository, removal.contentType)
    const ids = [...new Set(removal.ids.map(Number))].filter(Number.isSafeInteger)
    const present = await findPresentUnits(db, repository.set_id, { ids, kind })
    const missing = removal.ids.filter((unit) => !present.has(Number(unit)))
    if (missing.length > 0)
      throw invalidField(
        'ids',
        `must be ids of units in the repository; these are not: ${missing.slice(0, 100).join(', ')}`,
      )
    const task = await this.#enqueue(actor, repository, removalWork([...present]))
    return tasks.waitForEnd(task.id, AbortSignal.any([signal, AbortSignal.timeout(removalWaitMs)]))
  }

  /**
   * Cancels what works on the repository, waits for its end, then deletes it. A task gives back the bytes that nothing
   * else needs. What a version of a content view holds goes only when it is forced, and never what an environment shows.
   *
   * @throws AppError `conflict` when versions hold it, or something does not end in time
   */
  async deleteRepository(actor: Actor, id: number, { isForced }: { readonly isForced: boolean }): Promise<void> {
    const { db, repositories, tasks } = this.#parts
    const needed = { role: 'manager', permission: 'destroy_products' } as const
    const repository = await repositories.getEditable(actor, id, needed)
    const reclaim = (tx: Transaction<ContentTables>) => tasks.enqueue(tx, reclaimTask(repository, actor))
    const isGone = await deleteRepository(
      { db, tasks, deletable: isForced ? 'archived' : 'none', onDeleted: reclaim },
      repository,
      AbortSignal.timeout(endGraceMs),
    )
    if (!isGone)
      throw new AppError(
        'conflict',
        `Cannot delete the repository "${repository.name}": a task of it has not ended yet`,
      )
  }

  /** The text of a repository's GPG key, whoever asks; undefined when it has none. */
  async gpgKeyOf(id: number): Promise<string | undefined> {
    const repository = await findRepository(this.#parts.db, id)
    if (repository === undefined) throw notFound('repository', id)
    return this.#parts.credentials.findContent(repository.gpg_key_id)
  }

  async #enqueue(actor: Actor, repository: RepositoryRecord, work: RepositoryWork): Promise<TaskRow> {
    const { db, tasks } = this.#parts
    const { id } = repository
    return db.transaction().execute(async (tx) => {
      if (!(await lockRepository(tx, id))) throw notFound('repository', id)
      const task = await tasks.enqueue(tx, repositoryTask(repository, actor, work))
      if (work.kind === syncKind) await setLastSyncTask(tx, id, task.id)
      return task
    })
  }
}

function refuseOption({ content_type }: RepositoryRecord, option: SyncOption, isWanted: boolean | undefined): void {
  const taking = contentTypes.filter(({ syncOptions }) => syncOptions.includes(option)).map(({ name }) => name)
  if (isWanted === true && !taking.includes(content_type))
    throw invalidField(option, `is for repositories of type ${taking.join(', ')} only`)
}

/** The kind of units that a request to remove some means. */
function removableKind({ content_type }: RepositoryRecord, wanted: string | undefined): string {
  const type = contentTypes.find(({ name }) => name === content_type)
  const label = wanted ?? type?.defaultUnit
  const kind = type?.unitKinds.find((unit) => unit.isRemovable && unit.label === label)
  if (kind === undefined)
    throw invalidField('content_type', `must be a kind of units that can be removed from ${content_type} repositories`)
  return kind.kind
}
