import type pg from 'pg'
import type { BlobStore, StagedBlob } from '../blobs/blob-store.ts'
import { forEachBounded, inBatches } from '../blobs/bounded.ts'
import { isDigest } from '../blobs/digests.ts'
import { AppError } from '../errors.ts'
import type { Manifest } from './manifest.ts'
import type { ReadEntry } from './tar-reader.ts'

const committedAtOnce = 1000

/** The bytes of a backup: staged one by one, visible together when all of them are right, otherwise dropped. */
export class RestoredBlobs implements AsyncDisposable {
  readonly #store: BlobStore
  readonly #client: pg.Client
  readonly #staged: StagedBlob[] = []

  constructor(store: BlobStore, client: pg.Client) {
    this.#store = store
    this.#client = client
  }

  /** Reads one entry. They must come in the order of their names, so that none comes twice. */
  async stage({ name, sizeBytes, content }: ReadEntry, signal: AbortSignal | undefined): Promise<void> {
    const [folder, sha256 = '', ...others] = name.split('/')
    const isExpected = folder === 'blobs' && isDigest('sha256', sha256) && others.length === 0
    if (!isExpected || sha256 <= (this.#staged.at(-1)?.sha256 ?? '')) {
      throw new AppError(
        'invalid',
        `Cannot restore: the backup has ${JSON.stringify(name.slice(0, 100))} in a wrong place`,
      )
    }
    const options = { expected: { sha256, sizeBytes }, subject: name, signal }
    this.#staged.push(await this.#store.stage(content, options))
  }

  /** Commits the bytes when they are exactly those that the loaded table `artifacts` names. */
  async commit({ count, bytes }: Manifest['blobs']): Promise<void> {
    const foundBytes = this.#staged.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    if (this.#staged.length !== count || foundBytes !== bytes) {
      const found = `${this.#staged.length} blobs with ${foundBytes} bytes`
      throw new AppError('invalid', `Cannot restore: the backup has ${found} instead of ${count} with ${bytes}`)
    }
    await this.#compareWithRows()
    for (const batch of inBatches(this.#staged, committedAtOnce)) await this.#store.commitAll(batch)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await forEachBounded(this.#staged, 16, (blob) => blob.discard())
  }

  async #compareWithRows(): Promise<void> {
    const { rows: counted } = await this.#client.query<{ count: number }>('select count(*) as count from artifacts')
    let matching = 0
    for (const batch of inBatches(this.#staged, committedAtOnce)) {
      const { rows } = await this.#client.query<{ count: number }>(
        `select count(*) as count from artifacts
        join unnest($1::text[], $2::bigint[]) as staged (sha256, size_bytes) using (sha256, size_bytes)`,
        [batch.map(({ sha256 }) => sha256), batch.map(({ sizeBytes }) => sizeBytes)],
      )
      matching += rows[0]?.count ?? 0
    }
    if (matching === this.#staged.length && matching === counted[0]?.count) return
    throw new AppError('invalid', 'Cannot restore: the blobs of the backup are not those that its tables name')
  }
}
