import type { Config } from './config.ts'
import { openDatabase } from './open-database.ts'
import { type Listeners, openListeners } from './open-listeners.ts'
import { openServices } from './open-services.ts'
import { dataFolder, lockDataFolder } from './platform/data-folder/data-folder.ts'
import type { Logger } from './platform/log.ts'
import { openPlatform } from './platform/platform.ts'

export interface AppOptions {
  readonly logger: Logger
  readonly now?: () => number
  /** Aborting it gives up a start that is not finished. */
  readonly signal?: AbortSignal
}

/** A running Backhaul. Disposing it closes everything in reverse; running requests and tasks get ten seconds to end. */
export interface App extends AsyncDisposable, Listeners {
  /** The file with the administrator's random password, when this start made it. */
  readonly passwordFile: string | undefined
  /** Resolves when the embedded database is gone and nothing can go on. */
  readonly lost: Promise<unknown>
}

/**
 * Builds everything bottom up and opens the listeners last, so that whoever can connect finds all of it working.
 *
 * @throws AppError that says what could not be had; whatever was opened before is closed again
 */
export async function startApp(config: Config, { logger, now = Date.now, signal }: AppOptions): Promise<App> {
  await using opened = new AsyncDisposableStack()
  const folder = dataFolder(config.data)
  const uses = { isDatabaseEmbedded: config.databaseUrl === undefined, ownsLinks: config.roles.has('links') }
  opened.use(await lockDataFolder(folder, uses))
  const { database, lost } = opened.use(await openDatabase({ config, folder, logger, signal }))
  const platform = opened.use(await openPlatform({ database, folder, logger, now, ...config }))
  const urls: { api?: string; content?: string } = {}
  const parts = { config, logger, now, folder, database, platform }
  const services = opened.use(
    await openServices({
      ...parts,
      apiUrl: () => urls.api ?? '',
      contentUrl: () => config.contentUrl ?? urls.content ?? '',
    }),
  )
  signal?.throwIfAborted()
  const listeners = opened.use(await openListeners({ ...parts, services, urls }))
  const kept = opened.move()
  return {
    apiUrl: listeners.apiUrl,
    contentUrl: listeners.contentUrl,
    passwordFile: platform.passwordFile,
    lost,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
