import type { Transaction } from 'kysely'
import { isForeignKeyViolation } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { TaskContext, TaskHandler } from '../../platform/tasks/task-handler.ts'
import type { TaskService } from '../../platform/tasks/task-service.ts'
import { listFiltersOf, type ViewFilter } from '../filters/filter-store.ts'
import { adoptSets, deleteMadeSets } from '../sets/made-set-store.ts'
import type { ContentTables } from '../tables.ts'
import type { ContentTaskParts } from '../upkeep/repository-content.ts'
import type { ViewRow } from '../view-tables.ts'
import { lockView } from '../views/view-store.ts'
import { enqueueAutoPublish } from './auto-publish.ts'
import { insertArchivedCopies, placeVersion } from './copy-store.ts'
import { type Author, findPublishedBy, insertHistory } from './history-store.ts'
import { insertVersionOf, listPlaces, type Place } from './lifecycle-store.ts'
import { type PublishInput, publishKind, viewOf } from './lifecycle-tasks.ts'
import { prepareParts } from './prepare-parts.ts'
import { listComponentVersions, listPartsOfVersions, listSelectedParts, type SourcePart } from './source-store.ts'
import type { VersionPart } from './version-part.ts'

export type LifecycleTaskParts = ContentTaskParts & { readonly tasks: TaskService }

/** What is published may be deleted or purged while it is prepared; so often it is looked at anew. */
const attempts = 10

/**
 * Makes the next version of a content view:
 *
 *   what its repositories (or components) hold ──▶ filtered and merged sets, missing metadata ──▶ one transaction: version,
 *   archived copies, Library and other environments, history
 *
 * Killed before that transaction, nothing is seen of it; killed after it, the next run finds that all is done.
 */
export function publishHandler(parts: LifecycleTaskParts): TaskHandler {
  return { kind: publishKind, run: (task) => new Publishing(parts, task).run() }
}

interface Source {
  readonly view: ViewRow
  readonly componentIds: readonly number[]
  readonly filters: readonly ViewFilter[]
  readonly sources: readonly SourcePart[]
}

class Publishing {
  readonly #parts: LifecycleTaskParts
  readonly #task: TaskContext
  readonly #input: PublishInput

  constructor(parts: LifecycleTaskParts, task: TaskContext) {
    this.#parts = parts
    this.#task = task
    this.#input = task.input as unknown as PublishInput
  }

  async run(): Promise<void> {
    const { db } = this.#parts
    const published = await findPublishedBy(db, this.#task.id)
    const versionId = published ?? (await this.#publish())
    Object.assign(this.#task.output, { content_view_version_id: versionId, content_view_id: viewOf(this.#task).id })
    this.#task.progress(1, 'Published')
  }

  async #publish(): Promise<number> {
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      await this.#task.commit(this.#parts.db, (tx) => deleteMadeSets(tx, this.#task.id))
      const source = await this.#readSource()
      const prepared = await prepareParts(this.#parts, this.#task, source)
      const versionId = await this.#commit(source, prepared)
      if (versionId !== 'stale') return versionId
    }
    throw new AppError('conflict', 'Cannot publish the content view: its repositories change again and again meanwhile')
  }

  async #readSource(): Promise<Source> {
    const { db } = this.#parts
    const { id } = viewOf(this.#task)
    const view = await db.transaction().execute((tx) => lockView(tx, id, 'share'))
    if (view === undefined) throw new AppError('not_found', `Cannot publish the content view "${id}": it was deleted`)
    const componentIds = view.is_composite ? await listComponentVersions(db, id) : []
    return {
      view,
      componentIds,
      filters: await listFiltersOf(db, id),
      sources: view.is_composite ? await listPartsOfVersions(db, componentIds) : await listSelectedParts(db, id),
    }
  }

  async #commit(source: Source, prepared: readonly VersionPart[]): Promise<number | 'stale'> {
    try {
      return await this.#task.commit(this.#parts.db, (tx) => this.#write(tx, source, prepared))
    } catch (error) {
      // a repository, a version of its content or of a component was deleted a moment ago
      if (error instanceof StaleSource || isForeignKeyViolation(error)) return 'stale'
      throw error
    }
  }

  async #write(
    tx: Transaction<ContentTables>,
    { view: { id: viewId }, componentIds, filters }: Source,
    prepared: readonly VersionPart[],
  ): Promise<number> {
    const view = await lockView(tx, viewId, 'update')
    if (view === undefined) throw new StaleSource()
    const { number, description = null, environments = [] } = this.#input
    const versionId = await insertVersionOf(tx, view, { number, description, filters, componentIds })
    if (!(await insertArchivedCopies(tx, versionId, prepared))) throw new StaleSource()
    const places = await placesOf(tx, view, environments)
    for (const { id: environmentId } of places) await placeVersion(tx, { viewId, versionId, environmentId })
    await adoptSets(tx, this.#task.id)
    await this.#note(tx, versionId, places)
    await enqueueAutoPublish(tx, this.#parts.tasks, { view, user: this.#input.user })
    return versionId
  }

  async #note(
    tx: Transaction<ContentTables>,
    versionId: number,
    [library, ...others]: readonly Place[],
  ): Promise<void> {
    const author: Author = { taskId: this.#task.id, login: this.#input.user.login }
    const { description } = this.#input
    await insertHistory(tx, author, { versionId, action: 'publish', environment: library, description })
    for (const environment of others) await insertHistory(tx, author, { versionId, action: 'promotion', environment })
  }
}

/** What was read for a version is no longer there. */
class StaleSource extends Error {}

/** Library, and the further environments that are still there. */
async function placesOf(tx: Transaction<ContentTables>, view: ViewRow, wanted: readonly number[]): Promise<Place[]> {
  const places = await listPlaces(tx, view.organization_id)
  return places.filter(({ id, priorId }) => priorId === null || wanted.includes(id))
}
