import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Database } from '../../src/platform/db/database.ts'
import { createLogger } from '../../src/platform/log.ts'

const binaries = '/usr/lib/postgresql/15/bin'
const nobody = 65_534

/** The reason to skip tests that need the oldest PostgreSQL that is supported; false when it is there. */
export const lacksOldestPostgres = existsSync(binaries) ? false : 'needs PostgreSQL 15 from Debian'

export interface OldestPostgres extends AsyncDisposable {
  /** The server's only database, which is empty at first. Disposed of with the server. */
  readonly database: Database
  /** For `BACKHAUL_DATABASE_URL`; its user may create databases. */
  readonly url: string
}

/** Starts a server of the oldest version that is supported, for the time of a test. */
export async function startOldestPostgres(): Promise<OldestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'oldest-postgres-'))
  const server = await start(folder)
  const connection = { host: folder, user: 'postgres', database: 'postgres' }
  const database = new Database({ connection, logger: createLogger('silent') })
  return {
    database,
    url: `postgresql://postgres@/postgres?host=${encodeURIComponent(folder)}`,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      const ended = once(server, 'exit')
      server.kill('SIGINT')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}

async function start(folder: string): Promise<ChildProcess> {
  await chmod(folder, 0o700)
  const isRoot = process.getuid?.() === 0
  if (isRoot) await chown(folder, nobody, nobody)
  const asNobody = isRoot ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : []
  const data = join(folder, 'data')
  const [initdb = '', ...initdbArgs] = [...asNobody, join(binaries, 'initdb'), '-D', data, '-U', 'postgres', '-N']
  execFileSync(initdb, [...initdbArgs, '--encoding=UTF8', '--locale=C.UTF-8', '--auth=trust'], { cwd: folder })
  const settings = ['listen_addresses=', `unix_socket_directories=${folder}`, 'fsync=off', 'shared_buffers=16MB']
  const [postgres = '', ...postgresArgs] = [...asNobody, join(binaries, 'postgres'), '-D', data]
  const server = spawn(postgres, [...postgresArgs, ...settings.flatMap((setting) => ['-c', setting])], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await untilReady(server)
  return server
}

async function untilReady({ stderr }: ChildProcess): Promise<void> {
  if (stderr === null) throw new Error('The output of PostgreSQL is not there')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let log = ''
  stderr.on('data', (chunk) => {
    log += chunk
    if (log.includes('ready to accept connections')) resolve()
  })
  stderr.once('end', () => reject(new Error(`PostgreSQL did not start: ${log}`)))
  await promise
}
