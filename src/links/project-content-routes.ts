import type { Route } from '../platform/http/endpoint.ts'
import { drawingRoutes } from './drawings/drawing-routes.ts'
import { DrawingService, type DrawingServiceParts } from './drawings/drawing-service.ts'
import type { Presenters } from './events/announcer.ts'

/** What projects hold besides nodes and links. */
export function projectContentRoutes(parts: DrawingServiceParts, present: Presenters): Route[] {
  return [...drawingRoutes(new DrawingService(parts), present)]
}
