import { join } from 'node:path'
import type { Registry } from 'prom-client'
import type { Database } from '../platform/db/database.ts'
import type { MigrationSet } from '../platform/db/migration.ts'
import type { Route } from '../platform/http/endpoint.ts'
import type { SocketRoute } from '../platform/http/web-sockets.ts'
import type { Logger } from '../platform/log.ts'
import { MachineUsage } from '../platform/machine-usage.ts'
import { computeRoutes } from './computes/compute-routes.ts'
import { consoleSockets } from './console/console-socket.ts'
import { presentDrawing } from './drawings/drawing-presenter.ts'
import { Announcer, type Presenters } from './events/announcer.ts'
import { EventBus } from './events/event-bus.ts'
import { eventRoutes, eventSockets } from './events/event-routes.ts'
import { ProjectListeners } from './events/project-listeners.ts'
import { countFrames } from './frame-metrics.ts'
import { KeyedQueue } from './keyed-queue.ts'
import { Lab } from './lab.ts'
import { presentLink } from './links/link-presenter.ts'
import { linkRoutes } from './links/link-routes.ts'
import { LinkService } from './links/link-service.ts'
import { ConsolePorts, type PortRange } from './nodes/console-ports.ts'
import type { NodeKind } from './nodes/node-kind.ts'
import { nodeKinds } from './nodes/node-kinds.ts'
import { presentNode } from './nodes/node-presenter.ts'
import { nodeRoutes } from './nodes/node-routes.ts'
import { NodeRunner } from './nodes/node-runner.ts'
import { NodeService } from './nodes/node-service.ts'
import { projectContentRoutes } from './project-content-routes.ts'
import { ProjectAccess } from './projects/project-access.ts'
import { ProjectFolders } from './projects/project-folder.ts'
import { presentProject } from './projects/project-presenter.ts'
import { projectRoutes } from './projects/project-routes.ts'
import { ProjectService } from './projects/project-service.ts'
import { symbolRoutes } from './symbols/symbol-routes.ts'
import type { LinksTables } from './tables.ts'
import { templateRoutes } from './templates/template-routes.ts'
import { TemplateService } from './templates/template-service.ts'
import { versionRoutes } from './version-routes.ts'

/** The tables of this half. */
export const linksMigrations: readonly MigrationSet[] = [
  { name: 'links', folder: join(import.meta.dirname, 'migrations') },
]

export interface LinksParts {
  readonly database: Database
  readonly logger: Logger
  readonly registry: Registry
  /** Where the files of projects are kept. */
  readonly folder: string
  /** The data folder of the server, which no node may see. */
  readonly dataFolder: string
  readonly consolePorts: PortRange
  /** What `/v2/version` says besides the version of GNS3. */
  readonly version: string
  /** Where this server is reached, once it is. */
  readonly apiUrl: () => string
}

export interface Links extends AsyncDisposable {
  readonly routes: readonly Route[]
  readonly sockets: readonly SocketRoute[]
}

/** Opens the links half, whose nodes and links live in this process, and starts the nodes that are meant to run. */
export async function openLinks(given: LinksParts): Promise<Links> {
  const { database, logger, registry, folder, dataFolder, version, apiUrl } = given
  await using opened = new AsyncDisposableStack()
  const db = database.tables<LinksTables>()
  const folders = new ProjectFolders(folder)
  const kinds = new Map(nodeKinds.map((kind) => [kind.type, kind]))
  const queue = new KeyedQueue()
  const consolePorts = new ConsolePorts(db, given.consolePorts)
  const lab = opened.use(new Lab({ db, folders, kinds, consolePorts, queue, hidden: [dataFolder], logger }))
  const present = presenters({ lab, folders, kinds })
  const bus = new EventBus()
  const announcer = new Announcer(bus, present)
  lab.announcer = announcer
  const access = new ProjectAccess(db, queue)
  const parts = { db, access, folders, kinds, lab, announcer, consolePorts }
  const nodes = new NodeService(parts)
  const runner = new NodeRunner(parts)
  const projects = new ProjectService({ ...parts, runner, logger })
  const listeners = opened.use(new ProjectListeners({ closeIfWanted: (id) => projects.closeUnattended(id), logger }))
  const events = { bus, access, listeners, usage: new MachineUsage() }
  await lab.restore()
  await projects.openWanted()
  countFrames(registry, () => lab.wiring.totals())
  const kept = opened.move()
  return {
    routes: [
      ...versionRoutes(version),
      ...projectRoutes(projects, present),
      ...nodeRoutes({ nodes, runner, present }),
      ...templateRoutes({ templates: new TemplateService({ db, kinds, bus, nodes }), kinds, present }),
      ...linkRoutes(new LinkService(parts), present),
      ...projectContentRoutes(parts, present),
      ...eventRoutes(events),
      ...symbolRoutes(),
      ...computeRoutes({ usage: events.usage, apiUrl, kinds, folder: dataFolder, consolePorts }),
    ],
    sockets: [...eventSockets(events), ...consoleSockets(runner)],
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

interface PresentedParts {
  readonly lab: Lab
  readonly folders: ProjectFolders
  readonly kinds: ReadonlyMap<string, NodeKind>
}

function presenters({ lab, folders, kinds }: PresentedParts): Presenters {
  return {
    project: (project) => presentProject(project, folders),
    drawing: presentDrawing,
    link: (link) => presentLink({ link, isCapturing: lab.captures.isActive(link.id), folders }),
    node: (node) => {
      const kind = kinds.get(node.node_type) as NodeKind
      return presentNode({ node, kind, status: lab.nodes.status(node.id), folders })
    },
  }
}
