import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Database } from '../../src/platform/db/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/db/embedded/embedded-postgres.ts'
import { createLogger } from '../../src/platform/log.ts'
import type { TestDatabase } from './test-database.ts'

const logger = createLogger('silent')

/** A PostgreSQL of the test's own that can break down, with one empty database. */
export interface RestartablePostgres extends TestDatabase {
  /** Ends it as a crash would: every connection is gone at once, and what was not committed too. */
  crash(): Promise<void>
  /** Starts it again where it was. */
  restart(): Promise<void>
}

export async function startRestartablePostgres(): Promise<RestartablePostgres> {
  const parent = await mkdtemp(join(tmpdir(), 'backhaul-restartable-'))
  const folder = join(parent, 'postgres')
  let server: EmbeddedPostgres | undefined = await startEmbeddedPostgres({ folder, logger })
  const { host, port, user, database: name } = server.connection
  const url = `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}&port=${port}`
  const database = new Database({ connection: { connectionString: url }, logger })
  const end = async () => {
    await server?.[Symbol.asyncDispose]()
    server = undefined
  }
  return {
    url,
    database,
    async crash() {
      const [pid] = (await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n', 1)
      process.kill(Number(pid), 'SIGQUIT')
      await server?.ended
      await end()
    },
    async restart() {
      server = await startEmbeddedPostgres({ folder, logger })
    },
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      await end()
      await rm(parent, { recursive: true })
    },
  }
}
