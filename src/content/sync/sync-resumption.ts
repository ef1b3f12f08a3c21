import type { Kysely } from 'kysely'
import type { TaskResumption } from '../../platform/tasks/task-resumption.ts'
import type { RepositoryOperations } from '../repositories/repository-operations.ts'
import { findLastSyncs } from '../repositories/repository-store.ts'
import type { ContentTables } from '../tables.ts'
import { type SyncOptions, syncKind } from './sync-task.ts'

/** A sync can be taken up again until the repository's next one has been asked for. */
export function syncResumption(db: Kysely<ContentTables>, operations: RepositoryOperations): TaskResumption {
  return {
    kind: syncKind,
    findResumable: (tasks) =>
      findLastSyncs(
        db,
        tasks.map(({ id }) => id),
      ),
    resume: (actor, { input }) => {
      const { id } = input['repository'] as { id: number }
      return operations.startSync(actor, id, (input['options'] ?? {}) as SyncOptions)
    },
  }
}
