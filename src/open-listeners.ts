import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Config } from './config.ts'
import type { Services } from './open-services.ts'
import { userRoutes } from './platform/auth/user-routes.ts'
import type { Database } from './platform/db/database.ts'
import { SessionLocks } from './platform/db/session-locks.ts'
import { addRoutes } from './platform/http/add-routes.ts'
import { apidoc } from './platform/http/apidoc.ts'
import { addForemanHeaders, apidocEndpoints, apidocRoutes } from './platform/http/apidoc-routes.ts'
import type { Route } from './platform/http/endpoint.ts'
import { HttpServer } from './platform/http/http-server.ts'
import { healthRoutes, serviceRoutes } from './platform/http/service-routes.ts'
import { addStaticFolder } from './platform/http/static-folder.ts'
import { addWebSockets } from './platform/http/web-sockets.ts'
import type { Logger } from './platform/log.ts'
import type { Platform } from './platform/platform.ts'
import { FileSender } from './platform/send-file/file-sender.ts'
import { statusRoutes } from './platform/status/status-routes.ts'
import { TaskActions } from './platform/tasks/task-actions.ts'
import { taskRoutes } from './platform/tasks/task-routes.ts'
import { version } from './version.ts'

/** Where a process can be reached; undefined for a listener whose role it has not. */
export interface Listeners {
  readonly apiUrl: string | undefined
  readonly contentUrl: string | undefined
}

export interface ListenersParts {
  readonly config: Config
  readonly logger: Logger
  readonly now: () => number
  readonly database: Database
  readonly platform: Platform
  readonly services: Services
  /** Told as soon as they are known. */
  readonly urls: { api?: string; content?: string }
}

/** Opens the listeners of this process's roles, the API last: it is what people ask whether all is ready. */
export async function openListeners(parts: ListenersParts): Promise<Listeners & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const { config, urls, services, platform } = parts
  const tls = await readTls(config)
  warnOfUnknownContentUrl(parts)
  if (config.roles.has('content')) {
    const sender = opened.use(new FileSender())
    const locks = opened.use(new SessionLocks(parts.database))
    const onDemand = opened.use(services.content.openOnDemand(locks))
    const server = opened.use(newServer('content', parts, tls))
    addRoutes(server.app, { ...surroundingsOf(server, platform), routes: healthRoutes(readiness(parts)) })
    await services.content.serve(server, { authenticate: platform.authenticate, sender, onDemand })
    urls.content = await server.listen()
  }
  if (config.roles.has('api')) {
    const server = opened.use(newServer('api', parts, tls))
    const surroundings = surroundingsOf(server, platform)
    const routes = apiRoutes(parts)
    const description = apidoc(routes.map(({ endpoint }) => endpoint))
    addForemanHeaders(server.app, description)
    addRoutes(server.app, { ...surroundings, routes: [...routes, ...apidocRoutes(description)] })
    if (config.webUiFolder !== undefined)
      addStaticFolder(server.app, { folder: config.webUiFolder, path: '/static/web-ui' })
    addWebSockets(server.app.server, {
      ...surroundings,
      routes: services.links?.sockets ?? [],
      logger: parts.logger,
    })
    urls.api = await server.listen()
  }
  const kept = opened.move()
  return { apiUrl: urls.api, contentUrl: urls.content, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

function surroundingsOf({ signal, stopping }: HttpServer, { authenticate }: Platform) {
  return { authenticate, signal, stopping }
}

/** Who serves the content is another process, whose address nobody here knows. */
function warnOfUnknownContentUrl({ config: { roles, contentUrl }, logger }: ListenersParts): void {
  if (!roles.has('api') || roles.has('content') || contentUrl !== undefined) return
  logger.warn('BACKHAUL_CONTENT_URL is not set: the API cannot tell at which host repositories are served')
}

/** Everything that a process does it does with the database. */
function readiness({ database }: ListenersParts): () => Promise<void> {
  return async () => {
    await sql`select 1`.execute(database.tables())
  }
}

type Tls = { readonly cert: Buffer; readonly key: Buffer } | undefined

async function readTls({ tlsCertificate, tlsKey }: Config): Promise<Tls> {
  if (tlsCertificate === undefined || tlsKey === undefined) return undefined
  return { cert: await readFile(tlsCertificate), key: await readFile(tlsKey) }
}

function newServer(name: 'api' | 'content', { config, logger, platform }: ListenersParts, tls: Tls): HttpServer {
  const isApi = name === 'api'
  return new HttpServer({
    name,
    listen: isApi ? config.apiListen : config.contentListen,
    tls,
    logger,
    metrics: platform.httpMetrics,
    corsOrigins: isApi ? config.corsOrigins : [],
    errors: isApi ? 'by path' : 'text',
    ignoresTrailingSlash: isApi,
  })
}

function apiRoutes(parts: ListenersParts): Route[] {
  const { links, content, tasks } = parts.services
  const { platform, database, now } = parts
  const routes = [
    ...(links?.routes ?? []),
    ...content.routes,
    ...taskRoutes({ tasks, actions: new TaskActions(tasks, content.taskResumptions), now }),
    ...userRoutes(platform.users, now),
    ...statusRoutes({ database, store: platform.artifacts.store, now, version }),
  ]
  const documented = [...routes.map(({ endpoint }) => endpoint), ...apidocEndpoints]
  return [
    ...routes,
    ...serviceRoutes({ version, registry: platform.registry, checkReady: readiness(parts), documented }),
  ]
}
