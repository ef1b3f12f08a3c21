import type { RepositoryWork } from '../repositories/repository-task.ts'

export const syncKind = 'content.sync'

/** What one sync does otherwise than its repository says. */
export interface SyncOptions {
  /** Instead of the repository's upstream. */
  readonly sourceUrl?: string | undefined
  /** Removes nothing. */
  readonly incremental?: boolean | undefined
  /** Reads everything again though the upstream says that nothing changed. */
  readonly skipMetadataCheck?: boolean | undefined
  /** Checks all stored bytes afterwards. */
  readonly validateContents?: boolean | undefined
}

export function syncWork(options: SyncOptions): RepositoryWork {
  return {
    kind: syncKind,
    label: 'Actions::Katello::Repository::Sync',
    action: 'Synchronize',
    input: { options },
  }
}
