import type { Config } from './config.ts'
import { contentMigrations } from './content/index.ts'
import { linksMigrations } from './links/index.ts'
import type { DataFolder } from './platform/data-folder/data-folder.ts'
import { Database } from './platform/db/database.ts'
import { startEmbeddedPostgres } from './platform/db/embedded/embedded-postgres.ts'
import { migrate, platformMigrations } from './platform/db/migrate.ts'
import type { MigrationSet } from './platform/db/migration.ts'
import type { Logger } from './platform/log.ts'

/** All tables of the program, in the order in which they must be made. */
export const allMigrations: readonly MigrationSet[] = [platformMigrations, ...contentMigrations, ...linksMigrations]

export interface OpenedDatabase extends AsyncDisposable {
  readonly database: Database
  /** Resolves when the embedded server ended by itself; never for another one. */
  readonly lost: Promise<unknown>
}

export interface OpenDatabaseOptions {
  readonly config: Config
  readonly folder: DataFolder
  readonly logger: Logger
  readonly signal?: AbortSignal | undefined
}

/** Starts the embedded database or connects to the configured one, and brings it to the present form. */
export async function openDatabase({ config, folder, logger, signal }: OpenDatabaseOptions): Promise<OpenedDatabase> {
  await using opened = new AsyncDisposableStack()
  const server = await openServer()
  const database = opened.use(new Database({ connection: server.connection, logger }))
  await migrate(database, allMigrations)
  const kept = opened.move()
  return { database, lost: server.lost, [Symbol.asyncDispose]: () => kept.disposeAsync() }

  async function openServer() {
    const never = new Promise<never>(() => undefined)
    if (config.databaseUrl !== undefined) return { connection: { connectionString: config.databaseUrl }, lost: never }
    const embedded = await startEmbeddedPostgres({
      folder: folder.postgres,
      logger,
      ...(signal === undefined ? {} : { signal }),
    })
    opened.use(embedded)
    return { connection: embedded.connection, lost: embedded.ended }
  }
}
