import { type Route, route } from '../../platform/http/endpoint.ts'
import type { Presenters } from '../events/announcer.ts'
import { drawingEndpoints as endpoints } from './drawing-contract.ts'
import type { DrawingAddress, DrawingService } from './drawing-service.ts'

export function drawingRoutes(drawings: DrawingService, { drawing: present }: Presenters): Route[] {
  return [
    route(endpoints.list, async ({ actor, params }) =>
      (await drawings.listDrawings(actor, params.project_id)).map(present),
    ),
    route(endpoints.create, async ({ actor, params, body: { project_id: _same, ...request } }) =>
      present(await drawings.createDrawing(actor, params.project_id, request)),
    ),
    route(endpoints.show, async ({ actor, params }) => present(await drawings.getDrawing(actor, addressOf(params)))),
    route(endpoints.update, async ({ actor, params, body }) =>
      present(await drawings.updateDrawing(actor, addressOf(params), body)),
    ),
    route(endpoints.delete, ({ actor, params }) => drawings.deleteDrawing(actor, addressOf(params))),
  ]
}

function addressOf(params: { project_id: string; drawing_id: string }): DrawingAddress {
  return { projectId: params.project_id, id: params.drawing_id }
}
