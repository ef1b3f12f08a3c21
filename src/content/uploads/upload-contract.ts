import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Id, Nullable, OptionalNullable } from '../../platform/http/schemas.ts'
import { Task } from '../../platform/tasks/task-contract.ts'

const tag = 'Uploads'
const base = '/content/api/repositories'
const OneUpload = Type.Object({ repository_id: Id, id: Type.String({ maxLength: 100 }) })
const Bytes = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const ContentTypeName = OptionalNullable(
  Type.String({ maxLength: 100, description: 'A kind of unit that the repository holds' }),
)

/** Far beyond any honest file: what is too large for the disk is found out by the disk. */
const bodyLimitBytes = 2 ** 40

const UploadToImport = Type.Object({
  id: Type.String({ maxLength: 100 }),
  name: Type.String({ minLength: 1, maxLength: 1024 }),
  content_unit_id: OptionalNullable(Type.String({ maxLength: 1000 })),
  size: OptionalNullable(Bytes),
  checksum: OptionalNullable(
    Type.String({ maxLength: 200, description: 'In hexadecimal digits; its length says which' }),
  ),
  digest: OptionalNullable(Type.String({ maxLength: 200, description: 'As in sha256:…' })),
})

export type UploadToImport = Type.Static<typeof UploadToImport>

export const uploadEndpoints = {
  create: endpoint({
    action: 'content_uploads.create',
    method: 'POST',
    path: `${base}/{repository_id}/content_uploads`,
    status: 200,
    summary: 'Begin to send a file in chunks',
    tag,
    params: Type.Object({ repository_id: Id }),
    body: Type.Object({
      size: Bytes,
      checksum: OptionalNullable(Type.String({ maxLength: 200 })),
      content_type: ContentTypeName,
    }),
    reply: Type.Object({ upload_id: Type.String() }),
  }),
  saveChunk: endpoint({
    action: 'content_uploads.update',
    method: 'PUT',
    path: `${base}/{repository_id}/content_uploads/{id}`,
    status: 204,
    summary: 'Send a chunk: a form with content and offset, or bytes with the offset in the query',
    tag,
    params: OneUpload,
    query: Type.Object({ offset: Type.Optional(Bytes), size: Type.Optional(Bytes) }),
    form: Type.Object({ content: Type.String({ description: 'Bytes' }), offset: Bytes }),
    streamsBody: true,
    bodyLimitBytes,
  }),
  delete: endpoint({
    action: 'content_uploads.destroy',
    method: 'DELETE',
    path: `${base}/{repository_id}/content_uploads/{id}`,
    status: 204,
    summary: 'Forget an upload; one that is gone already is no error',
    tag,
    params: OneUpload,
  }),
  importUploads: endpoint({
    action: 'repositories.import_uploads',
    method: 'PUT',
    path: `${base}/{id}/import_uploads`,
    status: 202,
    summary: 'Make uploads units of a repository, as a task: all of them or none',
    tag,
    params: Type.Object({ id: Id }),
    body: Type.Object({
      uploads: Type.Array(UploadToImport, { minItems: 1, maxItems: 1000 }),
      content_type: ContentTypeName,
      publish_repository: Type.Optional(Nullable(Type.Boolean({ description: 'Show it to clients; default true' }))),
      sync_capsule: Type.Optional(Nullable(Type.Boolean({ description: 'Has no effect' }))),
      async: Type.Optional(Nullable(Type.Boolean({ description: 'Do not wait for the end; default false' }))),
    }),
    reply: Task,
  }),
  uploadContent: endpoint({
    action: 'repositories.upload_content',
    method: 'POST',
    path: `${base}/{id}/upload_content`,
    status: 200,
    summary: 'Send files as a form with the fields content or content[]: all become units, or none',
    tag,
    params: Type.Object({ id: Id }),
    reply: Type.Object({ status: Type.Literal('success'), filenames: Type.Array(Type.String()) }),
    form: Type.Object({ content: Type.String({ description: 'File' }) }),
    streamsBody: true,
    bodyLimitBytes,
  }),
}
