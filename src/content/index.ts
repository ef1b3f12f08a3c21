import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { SecretBox } from '../platform/auth/secret-box.ts'
import type { Artifacts } from '../platform/blobs/artifacts.ts'
import type { Database } from '../platform/db/database.ts'
import type { MigrationSet } from '../platform/db/migration.ts'
import type { Fetcher } from '../platform/fetch/fetcher.ts'
import type { Authenticate } from '../platform/http/add-routes.ts'
import type { Route } from '../platform/http/endpoint.ts'
import type { Logger } from '../platform/log.ts'
import type { TaskHandler } from '../platform/tasks/task-handler.ts'
import type { TaskService } from '../platform/tasks/task-service.ts'
import { Housekeeping } from './housekeeping.ts'
import { OrganizationAccess } from './organizations/organization-access.ts'
import { organizationRoutes } from './organizations/organization-routes.ts'
import { OrganizationService } from './organizations/organization-service.ts'
import { productRoutes } from './products/product-routes.ts'
import { ProductService } from './products/product-service.ts'
import { RepositoryOperations } from './repositories/repository-operations.ts'
import { repositoryRoutes } from './repositories/repository-routes.ts'
import { RepositoryService } from './repositories/repository-service.ts'
import { addContentRoutes } from './serving/content-listener.ts'
import { syncHandler } from './sync/sync-repository.ts'
import type { ContentTables } from './tables.ts'
import { contentTypes } from './types/index.ts'
import { removalHandler } from './upkeep/remove-content.ts'
import { republishHandler } from './upkeep/republish.ts'
import { verifyHandler } from './upkeep/verify-checksums.ts'

/** The tables of this half, in the order in which they must be made. */
export const contentMigrations: readonly MigrationSet[] = [
  { name: 'content', folder: join(import.meta.dirname, 'migrations') },
  ...contentTypes.flatMap(({ name, migrations }) =>
    migrations === undefined ? [] : [{ name: `content/${name}`, folder: migrations }],
  ),
]

/** Whom tasks of organizations are shown to; apart from the rest because tasks are made before it. */
export function contentAccess(database: Database): OrganizationAccess {
  return new OrganizationAccess(database.tables<ContentTables>())
}

export interface ContentParts {
  readonly database: Database
  readonly access: OrganizationAccess
  readonly tasks: TaskService
  readonly secrets: SecretBox
  readonly artifacts: Artifacts
  readonly fetcher: Fetcher
  /** How package clients reach the content listener, as soon as that is open. */
  readonly contentUrl: () => string
  readonly now: () => number
  readonly logger: Logger
}

export interface Content {
  readonly routes: readonly Route[]
  readonly taskHandlers: readonly TaskHandler[]
  /** Work of the role `worker` that no task asks for; to be started and disposed of. */
  readonly housekeeping: Housekeeping
  /** Puts what package clients ask for on the content listener. */
  serve(app: FastifyInstance, authenticate: Authenticate): void
}

/** Builds the content half. Starts nothing. */
export function createContent(parts: ContentParts): Content {
  const { database, access, tasks, secrets, artifacts, fetcher, contentUrl, now, logger } = parts
  const db = database.tables<ContentTables>()
  const organizations = new OrganizationService(db, access)
  const products = new ProductService({ db, access, organizations })
  const repositories = new RepositoryService({ db, access, products, tasks, secrets })
  const operations = new RepositoryOperations({ db, repositories, tasks })
  const types = new Map(contentTypes.map((type) => [type.name, type]))
  const work = { db, artifacts, fetcher, secrets, types }
  return {
    routes: [
      ...organizationRoutes(organizations),
      ...productRoutes(products),
      ...repositoryRoutes({ repositories, operations, contentUrl, now }),
    ],
    taskHandlers: [syncHandler(work), republishHandler(work), verifyHandler(work), removalHandler(work)],
    housekeeping: new Housekeeping({ db, artifacts, logger }),
    serve: (app, authenticate) => addContentRoutes(app, { db, store: artifacts.store, access, authenticate }),
  }
}
