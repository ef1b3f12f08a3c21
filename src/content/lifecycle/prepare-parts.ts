import type { TaskContext } from '../../platform/tasks/task-handler.ts'
import type { ContentType, ContentWork } from '../content-type.ts'
import { filtersFor, passesFilters } from '../filters/filter-condition.ts'
import type { ViewFilter } from '../filters/filter-store.ts'
import { insertPublication } from '../publications/publication-store.ts'
import { writeMetadata } from '../publications/publish.ts'
import type { SetVersion } from '../sets/content-set-store.ts'
import { makeSet } from '../sets/made-set-store.ts'
import type { ContentTaskParts } from '../upkeep/repository-content.ts'
import type { SourcePart } from './source-store.ts'
import type { VersionPart } from './version-part.ts'

export interface PartsPreparation {
  readonly sources: readonly SourcePart[]
  readonly filters: readonly ViewFilter[]
}

/**
 * Gives what a version is to hold, each repository once. Most is a reference; a set of its own is made where filters apply
 * or where a repository comes with different content from several components. Whatever is made can be made again.
 */
export async function prepareParts(
  parts: ContentTaskParts,
  task: TaskContext,
  { sources, filters }: PartsPreparation,
): Promise<VersionPart[]> {
  const preparation = new Preparation(parts, task, filters)
  const prepared: VersionPart[] = []
  for (const group of Map.groupBy(sources, ({ rootId }) => rootId).values()) {
    task.signal.throwIfAborted()
    prepared.push(await preparation.prepare(group as unknown as Group))
  }
  return prepared.sort((one, other) => one.libraryId - other.libraryId)
}

/** What there is of one repository; the first is what counts where two say something else. */
type Group = readonly [SourcePart, ...SourcePart[]]

class Preparation {
  readonly #parts: ContentTaskParts
  readonly #task: TaskContext
  readonly #filters: readonly ViewFilter[]

  constructor(parts: ContentTaskParts, task: TaskContext, filters: readonly ViewFilter[]) {
    this.#parts = parts
    this.#task = task
    this.#filters = filters
  }

  async prepare(group: Group): Promise<VersionPart> {
    const [source] = group
    const type = this.#parts.types.get(source.contentType) as ContentType
    const filters = filtersFor(this.#filters, type, source.libraryId)
    if (filters.length > 0 || differ(group)) return this.#make(group, type, filters)
    return source.lacksMetadata ? this.#publish(source) : source
  }

  async #make(group: Group, type: ContentType, filters: readonly ViewFilter[]): Promise<VersionPart> {
    const [source] = group
    this.#task.progress(0.3, `Choosing what of '${source.name}' is published`)
    const sources = group.map(({ setId, setVersion }) => ({ setId, version: setVersion }))
    const made = await this.#task.commit(this.#parts.db, (tx) =>
      makeSet(tx, {
        taskId: this.#task.id,
        sources,
        isTaken: (held) => passesFilters(filters, type, held),
        isIdle: filters.length === 0 ? undefined : type.isIdle,
      }),
    )
    return this.#publish({ ...source, setId: made.setId, setVersion: made.version })
  }

  async #publish(source: SourcePart): Promise<VersionPart> {
    const { db, artifacts } = this.#parts
    this.#task.progress(0.5, `Publishing '${source.name}'`)
    const content: SetVersion = { setId: source.setId, version: source.setVersion }
    const work = this.#parts.types.get(source.contentType)?.work as ContentWork
    const files = await writeMetadata({
      db,
      artifacts,
      work,
      content,
      attributes: source.attributes,
      signer: this.#parts.signer.for(source.organizationId),
      signal: this.#task.signal,
    })
    const publicationId = await this.#task.commit(db, (tx) => insertPublication(tx, content, files))
    return { ...source, publicationId }
  }
}

function differ([first, ...others]: Group): boolean {
  return others.some(({ setId, setVersion }) => setId !== first.setId || setVersion !== first.setVersion)
}
