import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Artifacts } from '../../platform/blobs/artifacts.ts'
import type { StagedBlob } from '../../platform/blobs/blob-store.ts'
import { AppError, type ErrorCode, invalidField, notFound } from '../../platform/errors.ts'
import type { TaskRow } from '../../platform/tasks/tables.ts'
import type { TaskService } from '../../platform/tasks/task-service.ts'
import { isUuid } from '../../platform/uuid.ts'
import type { ContentType } from '../content-type.ts'
import type { OrganizationAccess } from '../organizations/organization-access.ts'
import { refuseCopy } from '../repositories/repository-copy.ts'
import { findRepository, type RepositoryRecord } from '../repositories/repository-store.ts'
import type { ContentTables } from '../tables.ts'
import { receiveChunk, type SentChunk } from './chunk-receiver.ts'
import { expectedBytes } from './expected-bytes.ts'
import { type ImportInput, importTask, type UploadImport } from './import-task.ts'
import { receiveFiles, type SentFiles } from './receive-files.ts'
import type { UploadToImport } from './upload-contract.ts'
import {
  deleteUploads,
  findUpload,
  insertChunk,
  insertUpload,
  touchUploads,
  type Upload,
  type UploadKey,
} from './upload-store.ts'

export interface UploadServiceParts {
  readonly db: Kysely<ContentTables>
  readonly access: OrganizationAccess
  readonly tasks: TaskService
  readonly artifacts: Artifacts
  readonly types: ReadonlyMap<string, ContentType>
}

export interface ImportRequest {
  readonly uploads: readonly UploadToImport[]
  readonly contentType: string | null | undefined
  readonly publishes: boolean
  readonly waits: boolean
  readonly signal: AbortSignal
}

/** An import is waited for so long; then its task is answered as it is. */
const importWaitMs = 30_000

/** Files wait so long for their turn while other tasks of the repository run. */
const uploadWaitMs = 5 * 60_000

/** Files that people send to repositories, in chunks or whole. */
export class UploadService {
  readonly #parts: UploadServiceParts

  constructor(parts: UploadServiceParts) {
    this.#parts = parts
  }

  async createUpload(
    actor: Actor,
    repositoryId: number,
    { size, contentType }: { readonly size: number; readonly contentType: string | null | undefined },
  ): Promise<string> {
    const repository = await this.#editable(actor, repositoryId)
    this.#checkKind(repository, contentType)
    return this.#newUpload(repositoryId, size)
  }

  /** Adds bytes at a place of the upload: all of them or, when the request breaks off, none. */
  async saveChunk(
    actor: Actor,
    key: UploadKey,
    { signal, ...sent }: SentChunk & { signal: AbortSignal },
  ): Promise<void> {
    await this.#editable(actor, key.repositoryId)
    const upload = await this.#find(key)
    if (upload === undefined) throw notFound('upload', key.id)
    const { artifacts } = this.#parts
    const { offset, bytes } = await receiveChunk(sent, { artifacts, maxBytes: upload.size_bytes, signal })
    await this.#addBytes(key.id, offset, bytes)
  }

  async deleteUpload(actor: Actor, { repositoryId, id }: UploadKey): Promise<void> {
    await this.#editable(actor, repositoryId)
    if (isUuid(id)) await deleteUploads(this.#parts.db, repositoryId, [id])
  }

  /**
   * Makes uploads units of the repository.
   *
   * @throws AppError `invalid` or `conflict` when it turns out while this waits that they cannot be
   */
  async importUploads(actor: Actor, repositoryId: number, request: ImportRequest): Promise<TaskRow> {
    const repository = await this.#editable(actor, repositoryId)
    this.#checkKind(repository, request.contentType)
    const uploads: UploadImport[] = []
    for (const upload of request.uploads) uploads.push(await this.#importOf(repositoryId, upload))
    const task = await this.#enqueue(actor, repository, { uploads, publishes: request.publishes })
    if (!request.waits) return task
    const ended = await this.#wait(task.id, request.signal, importWaitMs)
    throwRefusal(ended, 'uploads')
    return ended
  }

  /** Makes the files of a form units of the repository, and gives their names. */
  async uploadContent(actor: Actor, repositoryId: number, sent: SentFiles): Promise<string[]> {
    const repository = await this.#editable(actor, repositoryId)
    const uploads: UploadImport[] = []
    let task: TaskRow | undefined
    try {
      for await (const { name, bytes } of receiveFiles(sent, {
        artifacts: this.#parts.artifacts,
        checkKind: (kind) => this.#checkKind(repository, kind),
      })) {
        const id = await this.#newUpload(repositoryId, bytes.sizeBytes).catch((error) => discardAndThrow(bytes, error))
        uploads.push({ id, name, expected: { sha256: bytes.sha256 } })
        await this.#addBytes(id, 0, bytes)
      }
      if (uploads.length === 0) throw invalidField('content', 'must hold at least one file')
      task = await this.#enqueue(actor, repository, { uploads, publishes: true })
      task = await this.#wait(task.id, sent.signal, uploadWaitMs)
      if (task.state !== 'stopped') task = await this.#giveUp(actor, task)
      throwRefusal(task, 'content')
      return uploads.map(({ name }) => name)
    } finally {
      const ids = uploads.map(({ id }) => id)
      if (task === undefined || task.state === 'stopped') await deleteUploads(this.#parts.db, repositoryId, ids)
    }
  }

  async #giveUp(actor: Actor, { id }: TaskRow): Promise<TaskRow> {
    await this.#parts.tasks.cancelTask(actor, id)
    return this.#wait(id, new AbortController().signal, importWaitMs)
  }

  async #editable(actor: Actor, id: number): Promise<RepositoryRecord> {
    const { db, access } = this.#parts
    const repository = await findRepository(db, id)
    if (repository === undefined || !(await access.canView(actor, repository.organization_id)))
      throw notFound('repository', id)
    await access.requireRole(actor, repository.organization_id, { role: 'editor', permission: 'edit_products' })
    refuseCopy(repository)
    return repository
  }

  #checkKind({ content_type, name }: RepositoryRecord, kind: string | null | undefined): void {
    if (kind === undefined || kind === null || kind === '') return
    const kinds = this.#parts.types.get(content_type)?.unitKinds.map((known) => known.kind) ?? []
    if (!kinds.includes(kind)) throw invalidField('content_type', `is nothing that the repository "${name}" holds`)
  }

  async #newUpload(repositoryId: number, sizeBytes: number): Promise<string> {
    const id = randomUUID()
    await insertUpload(this.#parts.db, { id, repositoryId, sizeBytes })
    return id
  }

  async #find(key: UploadKey): Promise<Upload | undefined> {
    return isUuid(key.id) ? findUpload(this.#parts.db, key) : undefined
  }

  async #addBytes(id: string, offset: number, bytes: StagedBlob): Promise<void> {
    const { db, artifacts } = this.#parts
    try {
      if (bytes.sizeBytes === 0) return
      // says that bytes are about to be referenced, to who gives unreferenced ones back
      await touchUploads(db, [id])
      await artifacts.keep([bytes])
      const chunk = { start_byte: offset, size_bytes: bytes.sizeBytes, artifact: bytes.sha256 }
      const isThere = await db.transaction().execute((tx) => insertChunk(tx, id, chunk))
      if (!isThere) throw notFound('upload', id)
    } finally {
      await bytes.discard()
    }
  }

  async #importOf(repositoryId: number, request: UploadToImport): Promise<UploadImport> {
    const { id, name, size, content_unit_id: unitId } = request
    const upload = await this.#find({ id, repositoryId })
    if (upload === undefined) throw invalidField('uploads', `has "${id}", which is the id of no upload`)
    if (unitId !== undefined && unitId !== null && unitId !== '')
      throw invalidField('uploads', `has "${unitId}", which is the content_unit_id of nothing`)
    if ((size ?? upload.size_bytes) !== upload.size_bytes)
      throw invalidField('uploads', `has ${size} as the size of "${name}", which was announced as ${upload.size_bytes}`)
    if (upload.received_bytes !== upload.size_bytes)
      throw invalidField(
        'uploads',
        `is not complete: ${upload.received_bytes} of ${upload.size_bytes} bytes have come of "${name}"`,
      )
    return { id, name, expected: expectedBytes(request) }
  }

  async #enqueue(actor: Actor, repository: RepositoryRecord, input: ImportInput): Promise<TaskRow> {
    const { db, tasks } = this.#parts
    return db.transaction().execute(async (tx) => {
      const ids = input.uploads.map(({ id }) => id)
      await touchUploads(tx, ids)
      return tasks.enqueue(tx, importTask(repository, actor, input))
    })
  }

  #wait(taskId: string, signal: AbortSignal, ms: number): Promise<TaskRow> {
    return this.#parts.tasks.waitForEnd(taskId, AbortSignal.any([signal, AbortSignal.timeout(ms)]))
  }
}

async function discardAndThrow(bytes: StagedBlob, error: unknown): Promise<never> {
  await bytes.discard()
  throw error
}

const refusals: ReadonlySet<unknown> = new Set<ErrorCode>(['invalid', 'conflict', 'unavailable', 'not_found'])

/** What the task refused is told as if the request itself had. */
function throwRefusal({ result, output, errors }: TaskRow, field: string): void {
  if (result === 'cancelled') throw new AppError('conflict', 'The upload was cancelled before its turn had come')
  const code = output['refusal']
  if (result !== 'error' || !refusals.has(code)) return
  const message = errors.at(-1) ?? 'The upload failed'
  throw new AppError(code as ErrorCode, message, code === 'invalid' ? { fields: { [field]: [message] } } : {})
}
