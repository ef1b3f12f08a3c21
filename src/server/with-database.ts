import { existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import { type DataFolder, dataFolder, lockDataFolder } from '../platform/data-folder/data-folder.ts'
import { Database } from '../platform/db/database.ts'
import { embeddedConnection } from '../platform/db/embedded/connection.ts'
import { startEmbeddedPostgres } from '../platform/db/embedded/embedded-postgres.ts'
import { AppError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'

export interface DatabaseUse {
  readonly database: Database
  readonly folder: DataFolder
}

/** Opens the database of a server that does not run, for as long as `use` takes. */
export async function withRestingDatabase<T>(
  config: Config,
  logger: Logger,
  use: (parts: DatabaseUse) => Promise<T>,
): Promise<T> {
  const folder = dataFolder(config.data)
  await using opened = new AsyncDisposableStack()
  opened.use(await lockDataFolder(folder, { isDatabaseEmbedded: config.databaseUrl === undefined, ownsLinks: false }))
  const connection =
    config.databaseUrl === undefined
      ? opened.use(await startEmbeddedPostgres({ folder: folder.postgres, logger })).connection
      : { connectionString: config.databaseUrl }
  return await use({ database: opened.use(new Database({ connection, logger })), folder })
}

/** Opens the database of a server that runs, or of one that rests. */
export async function withAnyDatabase<T>(
  config: Config,
  logger: Logger,
  use: (parts: DatabaseUse) => Promise<T>,
): Promise<T> {
  const folder = dataFolder(config.data)
  const running =
    config.databaseUrl === undefined ? embeddedConnection(folder.postgres) : { connectionString: config.databaseUrl }
  if (running === undefined && !existsSync(folder.postgres)) {
    throw new AppError(
      'not_found',
      `Cannot find a database in ${folder.path}: set BACKHAUL_DATA to the server's data folder`,
    )
  }
  if (running === undefined) return withRestingDatabase(config, logger, use)
  await using database = new Database({ connection: running, logger })
  return await use({ database, folder })
}
