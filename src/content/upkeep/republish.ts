import type { TaskHandler } from '../../platform/tasks/task-handler.ts'
import type { RepositoryWork } from '../repositories/repository-task.ts'
import { type ContentTaskParts, publishLatest, subjectOf } from './repository-content.ts'

export const republishWork: RepositoryWork = {
  kind: 'content.republish',
  label: 'Actions::Katello::Repository::MetadataGenerate',
  action: 'Generate metadata of',
}

/** Writes all metadata of a repository's content anew. */
export function republishHandler(parts: ContentTaskParts): TaskHandler {
  return {
    kind: republishWork.kind,
    run: async (task) => publishLatest(parts, task, await subjectOf(parts, task)),
  }
}
