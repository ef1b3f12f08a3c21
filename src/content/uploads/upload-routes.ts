import { type Route, route } from '../../platform/http/endpoint.ts'
import { presentTask } from '../../platform/tasks/task-presenter.ts'
import { uploadEndpoints as endpoints } from './upload-contract.ts'
import type { UploadService } from './upload-service.ts'

export function uploadRoutes(uploads: UploadService, now: () => number): Route[] {
  return [
    route(endpoints.create, async ({ actor, params, body: { size, content_type: contentType } }) => ({
      upload_id: await uploads.createUpload(actor, params.repository_id, { size, contentType }),
    })),
    route(endpoints.saveChunk, async ({ actor, params, query, upload: body, request, signal }) => {
      const contentType = request.headers['content-type']
      const key = { id: params.id, repositoryId: params.repository_id }
      await uploads.saveChunk(actor, key, { contentType, offset: query.offset, body, signal })
    }),
    route(endpoints.delete, async ({ actor, params }) => {
      await uploads.deleteUpload(actor, { id: params.id, repositoryId: params.repository_id })
    }),
    route(endpoints.importUploads, async ({ actor, params, body, signal }) => {
      const request = {
        uploads: body.uploads,
        contentType: body.content_type,
        publishes: body.publish_repository ?? true,
        waits: !(body.async ?? false),
        signal,
      }
      return presentTask(await uploads.importUploads(actor, params.id, request), now())
    }),
    route(endpoints.uploadContent, async ({ actor, params, upload: body, request, signal }) => {
      const contentType = request.headers['content-type']
      const filenames = await uploads.uploadContent(actor, params.id, { contentType, body, signal })
      return { status: 'success', filenames }
    }),
  ]
}
