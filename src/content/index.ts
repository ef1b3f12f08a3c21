import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { SecretBox } from '../platform/auth/secret-box.ts'
import type { Artifacts } from '../platform/blobs/artifacts.ts'
import type { Database } from '../platform/db/database.ts'
import type { MigrationSet } from '../platform/db/migration.ts'
import type { Notifications } from '../platform/db/notifications.ts'
import type { SessionLocks } from '../platform/db/session-locks.ts'
import type { Fetcher } from '../platform/fetch/fetcher.ts'
import type { Authenticate } from '../platform/http/add-routes.ts'
import type { Route } from '../platform/http/endpoint.ts'
import type { HttpServer } from '../platform/http/http-server.ts'
import type { Logger } from '../platform/log.ts'
import type { FileSender } from '../platform/send-file/file-sender.ts'
import type { TaskHandler } from '../platform/tasks/task-handler.ts'
import type { TaskResumption } from '../platform/tasks/task-resumption.ts'
import type { TaskService } from '../platform/tasks/task-service.ts'
import { completionRoutes } from './completions/completion-routes.ts'
import type { ContentType } from './content-type.ts'
import { credentialRoutes } from './credentials/credential-routes.ts'
import { CredentialService } from './credentials/credential-service.ts'
import { environmentRoutes } from './environments/environment-routes.ts'
import { EnvironmentService } from './environments/environment-service.ts'
import { filterRoutes } from './filters/filter-routes.ts'
import { FilterService } from './filters/filter-service.ts'
import { Housekeeping } from './housekeeping.ts'
import { LifecycleOperations } from './lifecycle/lifecycle-operations.ts'
import { lifecycleRoutes } from './lifecycle/lifecycle-routes.ts'
import { promoteHandler } from './lifecycle/promote-version.ts'
import { publishHandler } from './lifecycle/publish-view.ts'
import { removeHandler, viewDeletionHandler } from './lifecycle/remove-versions.ts'
import { versionRepublishHandler } from './lifecycle/republish-version.ts'
import { OrganizationAccess } from './organizations/organization-access.ts'
import { organizationDeletionHandler } from './organizations/organization-deletion.ts'
import { OrganizationOperations } from './organizations/organization-operations.ts'
import { organizationRoutes } from './organizations/organization-routes.ts'
import { OrganizationService } from './organizations/organization-service.ts'
import { productDeletionHandler } from './products/product-deletion.ts'
import { ProductOperations } from './products/product-operations.ts'
import { productRoutes } from './products/product-routes.ts'
import { ProductService } from './products/product-service.ts'
import { productSyncHandler } from './products/product-sync.ts'
import { httpProxyRoutes } from './proxies/http-proxy-routes.ts'
import { HttpProxyService } from './proxies/http-proxy-service.ts'
import { UpstreamProxies } from './proxies/upstream-proxies.ts'
import { RepositoryOperations } from './repositories/repository-operations.ts'
import { repositoryRoutes } from './repositories/repository-routes.ts'
import { RepositoryService } from './repositories/repository-service.ts'
import { roleRoutes } from './roles/role-routes.ts'
import { addContentRoutes } from './serving/content-listener.ts'
import { HotAnswers } from './serving/hot-answers.ts'
import { OnDemandFiles } from './serving/on-demand-files.ts'
import { settingRoutes } from './settings/setting-routes.ts'
import { SettingService } from './settings/setting-service.ts'
import { OrganizationSigner } from './signing/organization-signer.ts'
import { signingKeyRoutes } from './signing/signing-key-routes.ts'
import { SigningKeyService } from './signing/signing-key-service.ts'
import { syncHandler } from './sync/sync-repository.ts'
import { syncResumption } from './sync/sync-resumption.ts'
import type { ContentTables } from './tables.ts'
import { contentTypes } from './types/index.ts'
import { unitRoutes } from './units/unit-routes.ts'
import { UnitService } from './units/unit-service.ts'
import { reclaimHandler } from './upkeep/reclaim-space.ts'
import { removalHandler } from './upkeep/remove-content.ts'
import { republishHandler } from './upkeep/republish.ts'
import { verifyHandler } from './upkeep/verify-checksums.ts'
import { importHandler } from './uploads/import-uploads.ts'
import { uploadRoutes } from './uploads/upload-routes.ts'
import { UploadService } from './uploads/upload-service.ts'
import { componentRoutes } from './views/component-routes.ts'
import { ComponentService } from './views/component-service.ts'
import { versionRoutes } from './views/version-routes.ts'
import { VersionService } from './views/version-service.ts'
import { viewRoutes } from './views/view-routes.ts'
import { ViewService } from './views/view-service.ts'

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
  readonly notifications: Notifications
  readonly access: OrganizationAccess
  readonly tasks: TaskService
  readonly secrets: SecretBox
  readonly artifacts: Artifacts
  readonly fetcher: Fetcher
  /** The default HTTP proxy for as long as nobody has said another through the API. */
  readonly defaultProxyId: number | undefined
  /** How package clients reach the content listener, as soon as that is open. */
  readonly contentUrl: () => string
  readonly now: () => number
  readonly logger: Logger
}

export interface Content {
  readonly routes: readonly Route[]
  readonly taskHandlers: readonly TaskHandler[]
  readonly taskResumptions: readonly TaskResumption[]
  /** Work of the role `worker` that no task asks for; to be started and disposed of. */
  readonly housekeeping: Housekeeping
  /** What brings files that are fetched when clients ask for them; to be disposed of. */
  openOnDemand(locks: SessionLocks): OnDemandFiles
  /** Puts what package clients ask for on the content listener. */
  serve(server: HttpServer, by: ServingParts): Promise<void>
}

export interface ServingParts {
  readonly authenticate: Authenticate
  readonly sender: FileSender
  readonly onDemand: OnDemandFiles
}

/** What both the routes and the tasks are made from. */
interface CommonParts extends ContentParts {
  readonly db: Kysely<ContentTables>
  readonly types: ReadonlyMap<string, ContentType>
  readonly proxies: UpstreamProxies
  readonly signer: OrganizationSigner
}

/** Builds the content half. Starts nothing. */
export function createContent(parts: ContentParts): Content {
  const { database, notifications, access, artifacts, secrets, defaultProxyId, logger, now } = parts
  const db = database.tables<ContentTables>()
  const types = new Map(contentTypes.map((type) => [type.name, type]))
  const proxies = new UpstreamProxies({ db, secrets, configuredId: defaultProxyId })
  const signer = new OrganizationSigner({ db, secrets, now })
  const common = { ...parts, db, types, proxies, signer }
  return {
    ...apiOf(common),
    taskHandlers: taskHandlersOf(common),
    housekeeping: new Housekeeping({ db, artifacts, logger }),
    openOnDemand: (locks) => new OnDemandFiles({ ...common, locks }),
    serve: async (server, { authenticate, sender, onDemand }) => {
      const hot = new HotAnswers({ nowMs: () => performance.now() })
      await notifications.subscribe('served', () => hot.forget())
      addContentRoutes(server.app, { db, store: artifacts.store, access, authenticate, hot, sender, onDemand })
      server.answerFirst('/content/*', (request, response) => hot.serve(request, response))
    },
  }
}

function apiOf(parts: CommonParts): Pick<Content, 'routes' | 'taskResumptions'> {
  const { db, access, tasks, secrets, proxies, signer, contentUrl, now } = parts
  const organizations = new OrganizationService(db, access)
  const products = new ProductService({ db, access, organizations })
  const repositories = new RepositoryService({ db, access, products, tasks, secrets, proxies })
  const credentials = new CredentialService({ db, access, organizations, secrets })
  const units = new UnitService({ db, access, repositories })
  const operations = new RepositoryOperations({ db, repositories, tasks, credentials })
  const uploads = new UploadService(parts)
  const views = new ViewService({ db, access, organizations })
  const routes = [
    ...organizationRoutes({ organizations, operations: new OrganizationOperations({ db, organizations, tasks }), now }),
    ...productRoutes({ products, operations: new ProductOperations({ db, products, tasks }), now }),
    ...credentialRoutes(credentials, now),
    ...signingKeyRoutes(new SigningKeyService({ db, access, organizations, signer })),
    ...repositoryRoutes({ repositories, operations, contentUrl, now }),
    ...httpProxyRoutes(new HttpProxyService({ db, access, organizations, secrets, proxies }), now),
    ...settingRoutes(new SettingService({ db, proxies }), now),
    ...roleRoutes(db, now),
    ...completionRoutes(),
    ...unitRoutes(units, contentTypes, now),
    ...uploadRoutes(uploads, now),
    ...environmentRoutes(new EnvironmentService({ db, access, organizations }), now),
    ...viewRoutes(views, now),
    ...componentRoutes(new ComponentService(db, views)),
    ...versionRoutes(new VersionService({ db, access, organizations, views }), now),
    ...filterRoutes(new FilterService({ db, access }), now),
    ...lifecycleRoutes(new LifecycleOperations({ db, access, tasks }), now),
  ]
  return { routes, taskResumptions: [syncResumption(db, operations)] }
}

function taskHandlersOf(parts: CommonParts): TaskHandler[] {
  return [
    syncHandler(parts),
    republishHandler(parts),
    verifyHandler(parts),
    removalHandler(parts),
    importHandler(parts),
    reclaimHandler(parts),
    productSyncHandler(parts),
    productDeletionHandler(parts),
    organizationDeletionHandler(parts),
    publishHandler(parts),
    promoteHandler(parts),
    removeHandler(parts),
    viewDeletionHandler(parts),
    versionRepublishHandler(parts),
  ]
}
