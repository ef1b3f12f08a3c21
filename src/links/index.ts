import { join } from 'node:path'
import type { Database } from '../platform/db/database.ts'
import type { MigrationSet } from '../platform/db/migration.ts'
import type { Route } from '../platform/http/endpoint.ts'
import type { Logger } from '../platform/log.ts'
import { Lab } from './lab.ts'
import { linkRoutes } from './links/link-routes.ts'
import { LinkService } from './links/link-service.ts'
import { nodeKinds } from './nodes/node-kinds.ts'
import { nodeRoutes } from './nodes/node-routes.ts'
import { NodeService } from './nodes/node-service.ts'
import { ProjectAccess } from './projects/project-access.ts'
import { ProjectFolders } from './projects/project-folder.ts'
import { projectRoutes } from './projects/project-routes.ts'
import { ProjectService } from './projects/project-service.ts'
import type { LinksTables } from './tables.ts'
import { versionRoutes } from './version-routes.ts'

/** The tables of this half. */
export const linksMigrations: readonly MigrationSet[] = [
  { name: 'links', folder: join(import.meta.dirname, 'migrations') },
]

export interface LinksParts {
  readonly database: Database
  readonly logger: Logger
  /** Where the files of projects are kept. */
  readonly folder: string
  /** What `/v2/version` says besides the version of GNS3. */
  readonly version: string
}

export interface Links extends AsyncDisposable {
  readonly routes: readonly Route[]
}

/** Opens the links half, whose nodes and links live in this process, and starts the nodes that are meant to run. */
export async function openLinks({ database, logger, folder, version }: LinksParts): Promise<Links> {
  const db = database.tables<LinksTables>()
  const folders = new ProjectFolders(folder)
  const kinds = new Map(nodeKinds.map((kind) => [kind.type, kind]))
  const lab = new Lab({ db, folders, kinds, logger })
  const access = new ProjectAccess(db)
  const parts = { db, access, folders, kinds, lab }
  await lab.restore()
  return {
    routes: [
      ...versionRoutes(version),
      ...projectRoutes(new ProjectService(parts), folders),
      ...nodeRoutes({ nodes: new NodeService(parts), folders, kinds, lab }),
      ...linkRoutes({ links: new LinkService(parts), folders, lab }),
    ],
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  }
}
