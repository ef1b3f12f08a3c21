import { createHash } from 'node:crypto'
import { AppError, messageOf } from '../../platform/errors.ts'
import { fetchBlob } from '../../platform/fetch/fetch-blob.ts'
import type { Upstream } from '../../platform/fetch/fetch-options.ts'
import type { TaskContext, TaskHandler } from '../../platform/tasks/task-handler.ts'
import type { DiscoveredFile } from '../content-type.ts'
import { attributesOf } from '../repositories/repository-store.ts'
import type { RepositoryWork } from '../repositories/repository-task.ts'
import { listStoredFiles, type StoredFile } from '../sets/stored-file-store.ts'
import { discoverContext } from '../sync/fetch-unknown.ts'
import { type ContentTaskParts, publishLatest, type Subject, subjectOf, upstreamOf } from './repository-content.ts'

export const verifyWork: RepositoryWork = {
  kind: 'content.verify',
  label: 'Actions::Katello::Repository::VerifyChecksum',
  action: 'Verify checksum',
}

const concurrency = 10

/** Hashes every stored file of a repository and gets those that are damaged again. */
export function verifyHandler(parts: ContentTaskParts): TaskHandler {
  return { kind: verifyWork.kind, run: async (task) => verifyStored(parts, task, await subjectOf(parts, task)) }
}

/**
 * Checks all bytes that a repository serves. Units are repaired from the upstream, metadata by publishing again. The output
 * names what was repaired and what could not be; the latter makes the task end with a warning.
 */
export async function verifyStored(parts: ContentTaskParts, task: TaskContext, subject: Subject): Promise<void> {
  const damaged = await findDamaged(parts, task, subject)
  const units = damaged.filter(({ isMetadata }) => !isMetadata)
  if (units.length > 0) await refetch(parts, task, { subject, damaged: units })
  if (units.length < damaged.length) await publishLatest(parts, task, subject)
  const broken = await damagedAmong(parts, task, damaged)
  const stays = new Set(broken.map(({ sha256 }) => sha256))
  Object.assign(task.output, {
    repaired: damaged.filter(({ sha256 }) => !stays.has(sha256)).map(({ path }) => path),
    unrepairable: broken.map(({ path }) => path),
  })
  for (const { path } of broken) task.warn(`Cannot repair ${path}: no good copy of it could be had`)
}

async function findDamaged(parts: ContentTaskParts, task: TaskContext, subject: Subject): Promise<StoredFile[]> {
  const damaged: StoredFile[] = []
  let checked = 0
  for await (const files of listStoredFiles(parts.db, subject.repository)) {
    damaged.push(...(await damagedAmong(parts, task, files)))
    checked += files.length
    Object.assign(task.output, { checked })
    task.progress(0.5, `Checked ${checked} files`)
  }
  Object.assign(task.output, { checked })
  return damaged
}

async function damagedAmong(
  parts: ContentTaskParts,
  { signal }: TaskContext,
  files: readonly StoredFile[],
): Promise<StoredFile[]> {
  const damaged: StoredFile[] = []
  for (const file of files) {
    signal.throwIfAborted()
    if (!(await isWhole(parts, file.sha256, signal))) damaged.push(file)
  }
  return damaged
}

/** Bytes that cannot be read are as damaged as bytes that differ. */
async function isWhole({ artifacts }: ContentTaskParts, sha256: string, signal: AbortSignal): Promise<boolean> {
  const hash = createHash('sha256')
  try {
    await using blob = await artifacts.store.open(sha256)
    for await (const chunk of blob.body) {
      signal.throwIfAborted()
      hash.update(chunk)
    }
  } catch {
    signal.throwIfAborted()
    return false
  }
  return hash.digest('hex') === sha256
}

interface Refetch {
  readonly subject: Subject
  readonly damaged: readonly StoredFile[]
}

async function refetch(parts: ContentTaskParts, task: TaskContext, { subject, damaged }: Refetch): Promise<void> {
  const { repository, work } = subject
  if (repository.url === null) return task.warn('There is no upstream to repair from')
  const wanted = new Set(damaged.map(({ sha256 }) => sha256))
  const upstream = await upstreamOf(parts, repository, repository.url)
  try {
    const { db, artifacts, fetcher } = parts
    const fetching = { db, artifacts, fetcher, upstream, concurrency, signal: task.signal, onFetched: () => {} }
    const isOnDemand = repository.download_policy === 'on_demand'
    const known = { previous: undefined, isOnDemand, attributes: attributesOf(repository), setId: repository.set_id }
    const discovery = await work.discover(discoverContext(fetching, known))
    if (discovery.outcome === 'unchanged') throw new AppError('upstream', 'Cannot read the upstream: it lists nothing')
    for await (const batch of discovery.units) {
      const files = batch.flatMap((unit) => unit.files).filter(({ sha256 }) => wanted.delete(sha256))
      for (const file of files) await replace(parts, task, { upstream, file })
      if (wanted.size === 0) break
    }
  } catch (error) {
    task.signal.throwIfAborted()
    task.warn(messageOf(error))
  }
}

async function replace(
  parts: ContentTaskParts,
  task: TaskContext,
  { upstream, file }: { readonly upstream: Upstream; readonly file: DiscoveredFile },
): Promise<void> {
  const { artifacts, fetcher } = parts
  try {
    await using blob = await fetchBlob(fetcher, file.url, {
      upstream,
      store: artifacts.store,
      expected: { sha256: file.sha256, sizeBytes: file.sizeBytes },
      subject: file.path,
      signal: task.signal,
    })
    await artifacts.keep([blob])
  } catch (error) {
    task.signal.throwIfAborted()
    task.warn(messageOf(error))
  }
}
