import type { Route } from '../platform/http/endpoint.ts'
import { drawingRoutes } from './drawings/drawing-routes.ts'
import { DrawingService } from './drawings/drawing-service.ts'
import type { Presenters } from './events/announcer.ts'
import { fileRoutes } from './files/file-routes.ts'
import { FileService } from './files/file-service.ts'
import { snapshotRoutes } from './snapshots/snapshot-routes.ts'
import { SnapshotService } from './snapshots/snapshot-service.ts'
import { topologyRoutes } from './topology/topology-routes.ts'
import { TopologyService, type TopologyServiceParts } from './topology/topology-service.ts'

/** What projects hold besides nodes and links, and projects as a whole. */
export function projectContentRoutes(parts: TopologyServiceParts, present: Presenters): Route[] {
  return [
    ...drawingRoutes(new DrawingService(parts), present),
    ...fileRoutes(new FileService(parts)),
    ...snapshotRoutes(new SnapshotService(parts), present),
    ...topologyRoutes(new TopologyService(parts), present),
  ]
}
