import type { Kysely } from 'kysely'
import type { Artifacts } from '../../platform/blobs/artifacts.ts'
import type { StagedBlob } from '../../platform/blobs/blob-store.ts'
import { linkStoredFiles } from '../sets/remote-file-store.ts'
import type { ContentTables } from '../tables.ts'

interface Waiting {
  readonly blob: StagedBlob
  readonly kept: PromiseWithResolvers<void>
}

/**
 * Stores the bytes of files that are known: all that came while the last ones were stored go together, because the medium
 * takes as long for many as for one.
 */
export class Keeper {
  readonly #db: Kysely<ContentTables>
  readonly #artifacts: Artifacts
  readonly #pending = new Map<string, Promise<void>>()
  #waiting: Waiting[] = []
  #isKeeping = false

  constructor(db: Kysely<ContentTables>, artifacts: Artifacts) {
    this.#db = db
    this.#artifacts = artifacts
  }

  /** Resolves when the bytes are stored and every file that has them says so. */
  keep(blob: StagedBlob): Promise<void> {
    const kept = Promise.withResolvers<void>()
    const forget = () => this.#pending.delete(blob.sha256)
    this.#pending.set(
      blob.sha256,
      kept.promise.then(forget, forget).then(() => undefined),
    )
    this.#waiting.push({ blob, kept })
    if (!this.#isKeeping) this.#keepAll()
    return kept.promise
  }

  /** Resolves when bytes that are just being stored are, or never will be; at once for others. */
  async settled(sha256: string): Promise<void> {
    await this.#pending.get(sha256)
  }

  async #keepAll(): Promise<void> {
    this.#isKeeping = true
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      await this.#keepTogether(batch)
    }
    this.#isKeeping = false
  }

  async #keepTogether(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#artifacts.keep(batch.map(({ blob }) => blob))
      await linkStoredFiles(
        this.#db,
        batch.map(({ blob }) => blob.sha256),
      )
      for (const { kept } of batch) kept.resolve()
    } catch (error) {
      for (const { kept } of batch) kept.reject(error)
    }
  }
}
