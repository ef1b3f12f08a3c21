import type { Actor } from '../../platform/auth/actor.ts'
import type { ExpectedBytes } from '../../platform/blobs/blob-store.ts'
import type { NewTask } from '../../platform/tasks/task-store.ts'
import type { RepositoryRecord } from '../repositories/repository-store.ts'
import { repositoryTask } from '../repositories/repository-task.ts'

export const importKind = 'content.import_upload'

/** An upload that shall become a unit. */
export interface UploadImport {
  readonly id: string
  readonly name: string
  /** What its sender says of its bytes. */
  readonly expected: ExpectedBytes
}

export interface ImportInput {
  readonly uploads: readonly UploadImport[]
  /** Whether clients of the repository are shown the result at once, or with the next publication. */
  readonly publishes: boolean
}

/** The task that makes uploads units of a repository. */
export function importTask(repository: RepositoryRecord, actor: Actor, input: ImportInput): NewTask {
  const task = repositoryTask(repository, actor, {
    kind: importKind,
    label: 'Actions::Katello::Repository::ImportUpload',
    action: 'Upload into',
  })
  return { ...task, input: { ...task.input, ...input } }
}
