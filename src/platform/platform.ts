import { collectDefaultMetrics, Registry } from 'prom-client'
import { Authenticator } from './auth/authenticator.ts'
import { ensureAdministrator, openSecretBox } from './auth/first-start.ts'
import type { SecretBox } from './auth/secret-box.ts'
import type { AuthTables } from './auth/tables.ts'
import { UserService } from './auth/user-service.ts'
import { Artifacts } from './blobs/artifacts.ts'
import { openFileBlobStore } from './blobs/file-blob-store.ts'
import type { DataFolder } from './data-folder/data-folder.ts'
import type { Database } from './db/database.ts'
import { Notifications } from './db/notifications.ts'
import { createFetcher, type Fetcher } from './fetch/fetcher.ts'
import type { Authenticate } from './http/add-routes.ts'
import { createHttpMetrics, type HttpMetrics } from './http/request-log.ts'
import type { Logger } from './log.ts'

export interface PlatformOptions {
  readonly database: Database
  readonly folder: DataFolder
  readonly logger: Logger
  readonly now: () => number
  readonly adminPassword: string | undefined
  readonly secretKey: string | undefined
  readonly fetchDeny: 'none' | 'private'
}

/** What both halves stand on. Disposing it closes what it opened. */
export interface Platform extends AsyncDisposable {
  readonly notifications: Notifications
  readonly secrets: SecretBox
  readonly users: UserService
  readonly authenticate: Authenticate
  readonly artifacts: Artifacts
  readonly fetcher: Fetcher
  readonly registry: Registry
  readonly httpMetrics: HttpMetrics
  /** The file with the administrator's random password, when it was made by this start. */
  readonly passwordFile: string | undefined
}

/** Opens the ground on a database whose migrations are applied. Cleans up behind itself when it fails half-way. */
export async function openPlatform({ database, folder, logger, now, ...options }: PlatformOptions): Promise<Platform> {
  await using opened = new AsyncDisposableStack()
  const db = database.tables<AuthTables>()
  const secrets = await openSecretBox({ db, secretKey: options.secretKey, keyFile: folder.secretKey })
  const passwordFile = await ensureAdministrator({
    db,
    adminPassword: options.adminPassword,
    passwordFile: folder.adminPassword,
  })
  const notifications = opened.use(new Notifications(database, logger))
  await notifications.start()
  const artifacts = new Artifacts({ database, store: await openFileBlobStore(folder.blobs) })
  const fetcher = opened.use(createFetcher({ logger, deny: options.fetchDeny }))
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const kept = opened.move()
  return {
    notifications,
    secrets,
    users: new UserService(db),
    authenticate: authenticateWith(new Authenticator(db, now)),
    artifacts,
    fetcher,
    registry,
    httpMetrics: createHttpMetrics(registry),
    passwordFile,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

function authenticateWith(authenticator: Authenticator): Authenticate {
  return ({ headers, socket }) => authenticator.authenticate(headers.authorization, socket.remoteAddress ?? '')
}
