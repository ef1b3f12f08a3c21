import { setTimeout } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Artifacts } from '../platform/blobs/artifacts.ts'
import { messageOf } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { purgeRetired } from './publications/publication-store.ts'
import { deleteForgottenSets } from './sets/made-set-store.ts'
import { clearEndedStaging, deleteUnusedUnits } from './sets/unit-store.ts'
import type { ContentTables } from './tables.ts'
import { importKind } from './uploads/import-task.ts'
import { deleteForgottenUploads } from './uploads/upload-store.ts'

export interface HousekeepingParts {
  readonly db: Kysely<ContentTables>
  readonly artifacts: Artifacts
  readonly logger: Logger
}

const everyMs = 10 * 60_000

/**
 * Gives back what nothing needs any more: uploads that were forgotten, units in no set, then the bytes that no unit and no publication references, and
 * at the start what a killed process left. Several processes may do it at once.
 */
export class Housekeeping implements AsyncDisposable {
  readonly #parts: HousekeepingParts
  readonly #stop = new AbortController()
  #running: Promise<void> = Promise.resolve()

  constructor(parts: HousekeepingParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running = this.#run(this.#stop.signal)
  }

  async #run(signal: AbortSignal): Promise<void> {
    await this.#attempt(() => this.#parts.artifacts.sweep({ signal }))
    while (!signal.aborted) {
      await this.#attempt(() => this.#cleanUp(signal))
      await setTimeout(everyMs, undefined, { signal }).catch(() => undefined)
    }
  }

  async #cleanUp(signal: AbortSignal): Promise<void> {
    const { db, artifacts, logger } = this.#parts
    await deleteForgottenUploads(db, importKind)
    await clearEndedStaging(db)
    await deleteForgottenSets(db)
    await purgeRetired(db)
    while (!signal.aborted && (await deleteUnusedUnits(db)) > 0);
    const { count, bytes } = await artifacts.removeUnreferenced({ signal })
    if (count > 0) logger.info({ artifacts: count, bytes }, 'removed bytes that nothing needs')
  }

  /** What failed now is tried again at the next round. */
  async #attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#parts.logger.warn({ reason: messageOf(error) }, 'housekeeping failed')
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
  }
}
