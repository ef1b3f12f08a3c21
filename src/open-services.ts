import type { Config } from './config.ts'
import { type Content, contentAccess, createContent } from './content/index.ts'
import { type Links, openLinks } from './links/index.ts'
import type { DataFolder } from './platform/data-folder/data-folder.ts'
import type { Database } from './platform/db/database.ts'
import type { Logger } from './platform/log.ts'
import type { Platform } from './platform/platform.ts'
import { TaskRunner } from './platform/tasks/task-runner.ts'
import { TaskService } from './platform/tasks/task-service.ts'
import { version } from './version.ts'

export interface ServicesParts {
  readonly config: Config
  readonly logger: Logger
  readonly now: () => number
  readonly folder: DataFolder
  readonly database: Database
  readonly platform: Platform
  readonly apiUrl: () => string
  readonly contentUrl: () => string
}

/** The two halves, and whatever of their work this process does by itself. */
export interface Services extends AsyncDisposable {
  readonly tasks: TaskService
  readonly content: Content
  /** Only in the process that has the nodes. */
  readonly links: Links | undefined
}

/** Builds both halves, which know nothing of each other, and starts the roles of this process. */
export async function openServices({
  config,
  logger,
  now,
  folder,
  database,
  platform,
  apiUrl,
  contentUrl,
}: ServicesParts): Promise<Services> {
  await using opened = new AsyncDisposableStack()
  const { notifications, secrets, artifacts, fetcher, registry } = platform
  const access = contentAccess(database)
  const tasks = new TaskService({
    database,
    notifications,
    visibleScopes: (actor) => access.visibleScopes(actor),
    editableScopes: (actor) => access.editableScopes(actor),
  })
  const content = createContent({
    database,
    notifications,
    access,
    tasks,
    secrets,
    artifacts,
    fetcher,
    defaultProxyId: config.httpProxyId,
    contentUrl,
    now,
    logger,
  })
  const links = config.roles.has('links')
    ? opened.use(
        await openLinks({
          database,
          logger,
          registry,
          apiUrl,
          folder: folder.projects,
          dataFolder: folder.path,
          consolePorts: config.consolePorts,
          version,
        }),
      )
    : undefined
  if (config.roles.has('worker')) {
    const handlers = content.taskHandlers
    const runner = opened.use(new TaskRunner({ database, notifications, tasks, handlers, logger }))
    await runner.start()
    opened.use(content.housekeeping).start()
  }
  const kept = opened.move()
  return { tasks, content, links, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
