import type { Kysely } from 'kysely'
import type { SecretBox } from '../../platform/auth/secret-box.ts'
import type { Artifacts } from '../../platform/blobs/artifacts.ts'
import { AppError } from '../../platform/errors.ts'
import type { Upstream } from '../../platform/fetch/fetch-options.ts'
import type { Fetcher } from '../../platform/fetch/fetcher.ts'
import type { TaskContext } from '../../platform/tasks/task-handler.ts'
import type { ContentType, ContentWork } from '../content-type.ts'
import type { UpstreamProxies } from '../proxies/upstream-proxies.ts'
import { purgePublications } from '../publications/publication-store.ts'
import { publish } from '../publications/publish.ts'
import { attributesOf, findRepository, type RepositoryRecord } from '../repositories/repository-store.ts'
import { passwordPurpose } from '../repositories/repository-values.ts'
import { findLatestVersion, purgeVersions } from '../sets/content-set-store.ts'
import { purgeRemoteFiles } from '../sets/remote-file-store.ts'
import type { OrganizationSigner } from '../signing/organization-signer.ts'
import type { ContentTables } from '../tables.ts'
import { findUpstreamTls } from './upstream-tls.ts'

/** What tasks that work on repositories need. */
export interface ContentTaskParts {
  readonly db: Kysely<ContentTables>
  readonly artifacts: Artifacts
  readonly fetcher: Fetcher
  readonly secrets: SecretBox
  readonly proxies: UpstreamProxies
  readonly signer: OrganizationSigner
  readonly types: ReadonlyMap<string, ContentType>
}

/** The repository that a task is about, with what its type can do. */
export interface Subject {
  readonly repository: RepositoryRecord
  readonly work: ContentWork
}

/** @throws AppError that says why nothing can be done with the task's repository */
export async function subjectOf({ db, types }: ContentTaskParts, task: TaskContext): Promise<Subject> {
  const { id } = task.input['repository'] as { id: number }
  const repository = await findRepository(db, id)
  if (repository === undefined) throw new AppError('not_found', `Cannot work on repository "${id}": it was deleted`)
  const work = types.get(repository.content_type)?.work
  if (work !== undefined) return { repository, work }
  const { name, content_type: type } = repository
  throw new AppError('invalid', `Cannot work on repository "${name}": this server cannot handle type "${type}"`)
}

/** The upstream at this URL; the repository's credentials are for its own upstream only, its proxy for every one. */
export async function upstreamOf(
  parts: ContentTaskParts,
  repository: RepositoryRecord,
  url: string,
): Promise<Upstream> {
  const { upstream_username: username, upstream_password_sealed: sealed, verify_ssl_on_sync: verify } = repository
  const isOwn = repository.url !== null && new URL(repository.url).origin === new URL(url).origin
  const proxy = await parts.proxies.findFor(repository)
  if (!isOwn) return { url, username: undefined, password: undefined, tls: { verify }, proxy }
  const password = sealed === null ? undefined : parts.secrets.open(sealed, passwordPurpose)
  return { url, username: username ?? undefined, password, tls: await findUpstreamTls(parts, repository), proxy }
}

/** Publishes the latest version anew, of a copy its only one, and forgets what nothing needs any more. */
export async function publishLatest(parts: ContentTaskParts, task: TaskContext, subject: Subject): Promise<void> {
  const { db, artifacts } = parts
  const { repository, work } = subject
  const { set_id: setId, set_version, library_instance_id: original } = repository
  const content = { setId, version: original === null ? await findLatestVersion(db, setId) : set_version }
  task.progress(0.9, 'Publishing')
  await publish({
    db,
    artifacts,
    work,
    repositoryId: repository.id,
    content,
    attributes: attributesOf(repository),
    signer: parts.signer.for(repository.organization_id),
    signal: task.signal,
    commit: (write) => task.commit(db, write),
  })
  await purge(parts, task, subject)
}

/** Forgets publications and versions that nothing needs any more. */
export async function purge({ db }: ContentTaskParts, task: TaskContext, { repository }: Subject): Promise<void> {
  await task.commit(db, async (tx) => {
    await purgePublications(tx, repository.set_id)
    await purgeVersions(tx, [repository.set_id])
    await purgeRemoteFiles(tx, repository.root_id)
  })
}
