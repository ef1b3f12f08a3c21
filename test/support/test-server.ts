import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, startApp } from '../../src/app.ts'
import { type Environment, readConfig } from '../../src/config.ts'
import { createLogger } from '../../src/platform/log.ts'
import { claimConsolePorts } from './console-ports.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

export const adminPassword = 'correct horse battery'

export interface Answer<T> {
  readonly status: number
  readonly headers: Headers
  readonly body: T
}

export interface Asking {
  readonly method?: string
  /** Sent as JSON, unless it is text or bytes. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** `user:password`; null sends none. */
  readonly as?: string | null
}

/** A server by its two listeners, in whatever process it runs. */
export interface ReachableServer {
  readonly api: string
  readonly content: string
  /** Asks the API as the administrator; the body is parsed when it is JSON, else text. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  ask<T = any>(path: string, asking?: Asking): Promise<Answer<T>>
}

/** The real server, in this process, on free ports with a database and a data folder of its own. */
export interface TestServer extends ReachableServer, AsyncDisposable {
  readonly app: App
  readonly folder: string
  readonly database: TestDatabase
}

export async function startTestServer(env: Environment = {}): Promise<TestServer> {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'backhaul-test-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const database = opened.use(await createTestDatabase())
  const consolePorts = opened.use(await claimConsolePorts())
  const config = readConfig({
    BACKHAUL_DATA: join(folder, 'data'),
    BACKHAUL_API_LISTEN: '127.0.0.1:0',
    BACKHAUL_CONTENT_LISTEN: '127.0.0.1:0',
    BACKHAUL_ADMIN_PASSWORD: adminPassword,
    BACKHAUL_DATABASE_URL: database.url,
    BACKHAUL_CONSOLE_PORTS: consolePorts.range,
    ...env,
  })
  const app = opened.use(await startApp(config, { logger: createLogger('fatal') }))
  const api = app.apiUrl ?? ''
  const kept = opened.move()
  return {
    app,
    api,
    content: app.contentUrl ?? '',
    folder,
    database,
    ask: (path, asking) => ask(new URL(path, api), asking),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export async function ask<T = any>(
  url: URL,
  { method = 'GET', body, headers = {}, as = `admin:${adminPassword}` }: Asking = {},
): Promise<Answer<T>> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(as === null ? {} : { authorization: `Basic ${Buffer.from(as).toString('base64')}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: (isRaw ? body : JSON.stringify(body)) as string }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson && text !== '' ? JSON.parse(text) : text) as T,
  }
}
