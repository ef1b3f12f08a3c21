import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { Database } from '../../src/platform/db/database.ts'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/embedded-postgres.ts'
import { type MigrationSet, migrate } from '../../src/platform/db/migrate.ts'
import { createLogger } from '../../src/platform/log.ts'

/** The migrations of the platform itself. */
export const platformMigrations: MigrationSet = {
  name: 'platform',
  folder: join(import.meta.dirname, '../../src/platform/db/migrations'),
}

const debianBinaries = '/usr/lib/postgresql/15/bin'
const nobody = 65_534
const logger = createLogger('silent')

/** The reason to skip tests that need the oldest PostgreSQL which is supported; false when it is there. */
export const lacksOldestPostgres = existsSync(debianBinaries) ? false : 'needs PostgreSQL 15 from Debian'

/** A PostgreSQL server of its own for the tests of one file. */
export interface ScratchPostgres extends AsyncDisposable {
  readonly connection: pg.ClientConfig
  /** How to reach a new, empty database. */
  createDatabase(): Promise<pg.ClientConfig>
  /** A new database with the platform's migrations. Whoever asked for it disposes of it. */
  createMigratedDatabase(): Promise<Database>
}

/** Gives access to a database without any say about its content. */
export function openDatabase(connection: pg.ClientConfig): Database {
  return new Database({ connection, logger })
}

/** Starts the server that Backhaul brings along. */
export async function startScratchPostgres(): Promise<ScratchPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'scratch-postgres-'))
  const server = await startEmbeddedPostgres({ folder: join(folder, 'data'), logger })
  return scratchOf(server.connection, async () => {
    await server[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })
}

/** Starts the oldest version that is supported. */
export async function startOldestPostgres(): Promise<ScratchPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'oldest-postgres-'))
  await chmod(folder, 0o700)
  const isRoot = process.getuid?.() === 0
  if (isRoot) await chown(folder, nobody, nobody)
  const prefix = isRoot ? ['setpriv', '--reuid', `${nobody}`, '--regid', `${nobody}`, '--clear-groups'] : []
  const run = (program: string, args: readonly string[]) => [...prefix, join(debianBinaries, program), ...args]
  const [initdb = '', ...initdbArgs] = run('initdb', ['-D', join(folder, 'data'), '-U', 'postgres', '-E', 'UTF8', '-N'])
  execFileSync(initdb, [...initdbArgs, '--locale=C.UTF-8', '--auth=trust'], { cwd: folder, stdio: 'ignore' })
  const settings = ['listen_addresses=', `unix_socket_directories=${folder}`, 'fsync=off', 'shared_buffers=16MB']
  const [postgres = '', ...postgresArgs] = run('postgres', ['-D', join(folder, 'data')])
  const server = spawn(postgres, [...postgresArgs, ...settings.flatMap((setting) => ['-c', setting])], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await untilReady(server)
  return scratchOf({ host: folder, user: 'postgres', database: 'postgres' }, async () => {
    const ended = once(server, 'exit')
    server.kill('SIGINT')
    await ended
    await rm(folder, { recursive: true })
  })
}

async function untilReady(server: ChildProcess): Promise<void> {
  let log = ''
  for await (const chunk of server.stderr ?? []) {
    log += chunk
    if (log.includes('ready to accept connections')) break
  }
  if (!log.includes('ready to accept connections')) throw new Error(`PostgreSQL did not start: ${log}`)
}

function scratchOf(connection: pg.ClientConfig, stop: () => Promise<void>): ScratchPostgres {
  const createDatabase = async () => {
    const database = `scratch_${randomBytes(6).toString('hex')}`
    const client = new pg.Client(connection)
    await client.connect()
    await client.query(`create database ${database} template template0`)
    await client.end()
    return { ...connection, database }
  }
  return {
    connection,
    createDatabase,
    async createMigratedDatabase() {
      const database = openDatabase(await createDatabase())
      await migrate(database, [platformMigrations])
      return database
    },
    [Symbol.asyncDispose]: stop,
  }
}
