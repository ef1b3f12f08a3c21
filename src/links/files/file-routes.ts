import { Readable } from 'node:stream'
import { type Route, route } from '../../platform/http/endpoint.ts'
import { RawReply } from '../../platform/http/raw-reply.ts'
import { fileEndpoints as endpoints } from './file-contract.ts'
import type { FileAddress, FileService, OpenedFile } from './file-service.ts'

export function fileRoutes(files: FileService): Route[] {
  return [
    route(endpoints.read, async ({ actor, params, request }) =>
      sent(await files.openFile(actor, addressOf(params)), request.method),
    ),
    route(endpoints.write, async ({ actor, params, upload }) => {
      await files.writeFile(actor, addressOf(params), upload)
      return written()
    }),
    route(endpoints.readOfNode, async ({ actor, params, request }) =>
      sent(await files.openFile(actor, addressOf(params)), request.method),
    ),
    route(endpoints.writeOfNode, async ({ actor, params, upload }) => {
      await files.writeFile(actor, addressOf(params), upload)
      return written()
    }),
  ]
}

/** As long as the file is now: it may grow while it is sent. */
async function sent({ file, sizeBytes }: OpenedFile, method: string): Promise<RawReply> {
  const hasBody = sizeBytes > 0 && method !== 'HEAD'
  if (!hasBody) await file.close()
  return new RawReply({
    status: 200,
    headers: {
      // never a type that a browser would run
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'content-length': sizeBytes,
    },
    body: hasBody ? file.createReadStream({ start: 0, end: sizeBytes - 1 }) : Readable.from([]),
  })
}

function written(): RawReply {
  return new RawReply({ status: 201, headers: {}, body: '' })
}

function addressOf(params: { project_id: string; node_id?: string; path: string }): FileAddress {
  return { projectId: params.project_id, nodeId: params.node_id, path: params.path }
}
