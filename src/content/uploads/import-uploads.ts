import { type Kysely, sql, type Transaction } from 'kysely'
import type { SecretBox } from '../../platform/auth/secret-box.ts'
import type { Artifacts } from '../../platform/blobs/artifacts.ts'
import { AppError, asAppError } from '../../platform/errors.ts'
import type { TaskContext, TaskHandler } from '../../platform/tasks/task-handler.ts'
import type { ContentType, ContentWork, NewUnit } from '../content-type.ts'
import { findPublishedVersion } from '../publications/publication-store.ts'
import { publish } from '../publications/publish.ts'
import { attributesOf, findRepository, type RepositoryRecord } from '../repositories/repository-store.ts'
import { createVersion } from '../sets/content-set-store.ts'
import { clearStaging, saveUnitFiles, saveUnits, stageUnits } from '../sets/unit-store.ts'
import type { OrganizationSigner } from '../signing/organization-signer.ts'
import type { ContentTables } from '../tables.ts'
import { findForgeryCheck } from '../upkeep/repository-signatures.ts'
import { assemble } from './assemble.ts'
import { type ImportInput, importKind } from './import-task.ts'
import { findUpload, noteImported } from './upload-store.ts'

export interface ImportParts {
  readonly db: Kysely<ContentTables>
  readonly artifacts: Artifacts
  readonly types: ReadonlyMap<string, ContentType>
  readonly signer: OrganizationSigner
  readonly secrets: SecretBox
}

/**
 * Makes uploads units of a repository:
 *
 *   assemble and check each ──▶ one transaction: units, new version, publication
 *
 * All of them or none. A task that is killed anywhere starts over, and finds its uploads as they were.
 */
export function importHandler(parts: ImportParts): TaskHandler {
  return {
    kind: importKind,
    run: async (task) => {
      // clients read the list whatever happens
      Object.assign(task.output, { upload_results: [] })
      try {
        await importAll(parts, task)
      } catch (error) {
        Object.assign(task.output, { refusal: asAppError(error).code })
        throw error
      }
    },
  }
}

interface Target {
  readonly repository: RepositoryRecord
  readonly work: ContentWork
}

async function importAll(parts: ImportParts, task: TaskContext): Promise<void> {
  const { uploads, publishes } = task.input as unknown as ImportInput
  const target = await findTarget(parts, task)
  const findForgery = await findForgeryCheck(parts, target.repository)
  const units: NewUnit[] = []
  for (const [index, upload] of uploads.entries()) {
    task.progress(index / uploads.length, `Checking ${upload.name}`)
    const found = await findUpload(parts.db, { id: upload.id, repositoryId: target.repository.id })
    if (found === undefined) throw new AppError('not_found', `Cannot find the upload "${upload.id}": it was cancelled`)
    const { db, artifacts } = parts
    const file = await assemble(upload, found.size_bytes, { db, artifacts, signal: task.signal })
    units.push(await target.work.parseUpload(file, { findForgery }))
  }
  refuseTwice(units)
  await task.commit(parts.db, async (tx) => {
    await addUnits(tx, { target, taskId: task.id, units })
    if (publishes) await publishIn(tx, parts, { target, signal: task.signal })
    await noteImported(
      tx,
      uploads.map(({ id }) => id),
    )
  })
  Object.assign(task.output, { upload_results: units.map(({ kind, name }) => ({ type: kind, name })) })
}

async function findTarget({ db, types }: ImportParts, task: TaskContext): Promise<Target> {
  const { id } = task.input['repository'] as { id: number }
  const repository = await findRepository(db, id)
  const work = types.get(repository?.content_type ?? '')?.work
  if (repository === undefined || work === undefined)
    throw new AppError('not_found', `Cannot upload into repository "${id}": it was deleted`)
  return { repository, work }
}

interface Addition {
  readonly target: Target
  readonly taskId: string
  readonly units: readonly NewUnit[]
}

async function addUnits(tx: Transaction<ContentTables>, { target, taskId, units }: Addition): Promise<void> {
  const { repository, work } = target
  const setId = repository.set_id
  // nobody else may add the same names between the check and the new version
  await tx.selectFrom('content_sets').select('id').where('id', '=', setId).forUpdate().execute()
  await refuseOtherBytes(tx, setId, units)
  const saved = await saveUnits(tx, units)
  await work.saveUnits?.(tx as unknown as Kysely<unknown>, saved)
  await saveUnitFiles(tx, saved, new Set(units.flatMap(({ files }) => files.map(({ sha256 }) => sha256))))
  await stageUnits(
    tx,
    taskId,
    saved.map(({ id }) => id),
  )
  await createVersion(tx, { setId, taskId, removesOthers: false })
  await clearStaging(tx, taskId)
}

/** One name is one file: what clients may already have read under it must not become something else. */
async function refuseOtherBytes(
  tx: Transaction<ContentTables>,
  setId: number,
  units: readonly NewUnit[],
): Promise<void> {
  const files = units.flatMap((unit) => unit.files)
  const { rows } = await sql<Clash>`
    select f.path, f.sha256 as present, given.sha256 as sent from unnest(${files.map(({ path }) => path)}::text[], ${files.map(({ sha256 }) => sha256)}::text[])
      as given (path, sha256)
    join unit_files f on f.path = given.path and f.sha256 <> given.sha256
    join content_set_units m on m.unit_id = f.unit_id and m.set_id = ${setId} and m.removed_in is null
    limit 1`.execute(tx)
  if (rows[0] !== undefined) throw otherBytes(rows[0])
}

function refuseTwice(units: readonly NewUnit[]): void {
  const seen = new Map<string, string>()
  for (const { path, sha256 } of units.flatMap(({ files }) => files)) {
    const present = seen.get(path) ?? sha256
    if (present !== sha256) throw otherBytes({ path, present, sent: sha256 })
    seen.set(path, sha256)
  }
}

/** Two files of one name, by their sha256. */
interface Clash {
  readonly path: string
  readonly present: string
  readonly sent: string
}

function otherBytes({ path, present, sent }: Clash): AppError {
  return new AppError(
    'conflict',
    `Cannot take the file "${path}": the repository has one of that name with other bytes (sha256 ${present}, not ${sent})`,
  )
}

/** Shows the latest version to clients, unless they have it already, with what the same transaction writes. */
async function publishIn(
  tx: Transaction<ContentTables>,
  { artifacts, signer }: ImportParts,
  { target: { repository, work }, signal }: { readonly target: Target; readonly signal: AbortSignal },
): Promise<void> {
  const { set_version: version } = (await findRepository(tx, repository.id)) as RepositoryRecord
  if (version === (await findPublishedVersion(tx, repository.id))) return
  await publish({
    db: tx,
    artifacts,
    work,
    repositoryId: repository.id,
    content: { setId: repository.set_id, version },
    attributes: attributesOf(repository),
    signer: signer.for(repository.organization_id),
    signal,
    commit: (write) => write(tx),
  })
}
