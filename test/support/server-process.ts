import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../../src/config.ts'
import { createBareDatabase, createTestDatabase, type TestDatabase } from './test-database.ts'
import { adminPassword, ask, type ReachableServer } from './test-server.ts'

/** A server in a process of its own. */
export interface ServerProcess extends ReachableServer, AsyncDisposable {
  readonly child: ChildProcess
  readonly pid: number
  /** What it has logged so far. */
  complaints(): string
  /** Ends it, and gives its exit code or the signal that ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | string>
}

/** How a start went that did not make a server. */
export interface FailedStart {
  readonly code: number | null
  readonly complaints: string
}

export interface SharedGround extends AsyncDisposable {
  readonly folder: string
  readonly database: TestDatabase
  /** Starts a process and gives it when it is ready. */
  start(roles: string, env?: Environment): Promise<ServerProcess>
  /** Starts a process that is not to become ready. */
  startInVain(roles: string, env?: Environment): Promise<FailedStart>
}

/** A database and a data folder for several processes; disposing ends all that were started on them. */
export async function openSharedGround(
  kind: 'with tables' | 'bare' | { readonly database: TestDatabase } = 'with tables',
): Promise<SharedGround> {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'backhaul-processes-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const database = opened.use(await databaseOf(kind))
  const processes = opened.use(new AsyncDisposableStack())
  const launch = (roles: string, env: Environment = {}) => {
    const launched = launchServer({
      BACKHAUL_DATA: join(folder, 'data'),
      BACKHAUL_DATABASE_URL: database.url,
      BACKHAUL_ROLES: roles,
      ...env,
    })
    processes.defer(async () => void (await launched.stop('SIGKILL')))
    return launched
  }
  const kept = opened.move()
  return {
    folder,
    database,
    start: async (roles, env) => launch(roles, env).ready(),
    startInVain: async (roles, env) => launch(roles, env).failed(),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function databaseOf(kind: Parameters<typeof openSharedGround>[0]): Promise<TestDatabase> {
  if (kind === 'bare') return createBareDatabase()
  return typeof kind === 'object' ? kind.database : createTestDatabase()
}

function launchServer(env: Environment) {
  const program = join(import.meta.dirname, '../../src/main.ts')
  const child = spawn(process.execPath, [program, 'serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      BACKHAUL_API_LISTEN: '127.0.0.1:0',
      BACKHAUL_CONTENT_LISTEN: '127.0.0.1:0',
      BACKHAUL_ADMIN_PASSWORD: adminPassword,
      BACKHAUL_LOG_LEVEL: 'warn',
      ...env,
    },
  })
  let complaints = ''
  child.stderr.on('data', (chunk) => {
    complaints += chunk
  })
  const ended = once(child, 'close')
  const said = once(child.stdout, 'data')
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string> => {
    child.kill(signal)
    const [code, by] = await ended
    return code ?? by
  }
  return {
    stop,
    /** @throws when the process ends instead */
    async ready(): Promise<ServerProcess> {
      const [text] = await Promise.race([said, ended])
      if (!String(text).startsWith('Backhaul is ready.')) throw new Error(`The server did not start: ${complaints}`)
      const [, api = ''] = /API and documentation +(\S+)/.exec(text) ?? []
      const [, content = ''] = /Published content +(\S+)/.exec(text) ?? []
      return {
        api,
        content,
        child,
        pid: child.pid ?? 0,
        complaints: () => complaints,
        ask: (path, asking) => ask(new URL(path, api), asking),
        stop,
        [Symbol.asyncDispose]: async () => void (await stop()),
      }
    },
    async failed(): Promise<FailedStart> {
      const [first] = await Promise.race([said, ended])
      if (first instanceof Buffer) throw new Error(`The server started: ${first}`)
      const [code] = await ended
      return { code, complaints }
    },
  }
}
