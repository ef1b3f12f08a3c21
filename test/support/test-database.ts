import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { allMigrations } from '../../src/open-database.ts'
import { Database } from '../../src/platform/db/database.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { createLogger } from '../../src/platform/log.ts'

const logger = createLogger('fatal')

export interface TestDatabase extends AsyncDisposable {
  readonly database: Database
  /** For `BACKHAUL_DATABASE_URL` of a server under test. */
  readonly url: string
}

/**
 * An empty database of the test's own with all tables, dropped when disposed. It lies on the server that
 * `BACKHAUL_DATABASE_URL` names, or on an embedded one that the test's process shares.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = await testServer()
  const template = await ensureTemplate(serverUrl)
  const name = `backhaul_test_${randomUUID().replaceAll('-', '')}`
  await onServer(serverUrl, (client) => client.query(`create database ${name} template ${template}`))
  const url = withDatabase(serverUrl, name)
  const database = new Database({ connection: { connectionString: url }, logger })
  return {
    database,
    url,
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]()
      await onServer(serverUrl, (client) => client.query(`drop database ${name} with (force)`))
    },
  }
}

/** An empty database without tables, for tests of migrations and restores. */
export async function createBareDatabase(): Promise<TestDatabase> {
  const serverUrl = await testServer()
  const name = `backhaul_test_${randomUUID().replaceAll('-', '')}`
  await onServer(serverUrl, (client) => client.query(`create database ${name} template template0 encoding 'UTF8'`))
  const url = withDatabase(serverUrl, name)
  const database = new Database({ connection: { connectionString: url }, logger })
  return {
    database,
    url,
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]()
      await onServer(serverUrl, (client) => client.query(`drop database ${name} with (force)`))
    },
  }
}

let embedded: Promise<string> | undefined

function testServer(): Promise<string> {
  const configured = process.env['BACKHAUL_DATABASE_URL']
  if (configured !== undefined) return Promise.resolve(configured)
  embedded ??= startShared()
  return embedded
}

/** In a process of its own, which sees this one end in whatever way: hooks would run before those of the tests. */
async function startShared(): Promise<string> {
  const program = join(import.meta.dirname, 'postgres-holder.ts')
  const holder = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  const [line] = (await once(holder.stdout, 'data')) as [Buffer]
  holder.stdout.destroy()
  holder.unref()
  ;(holder.stdin as Socket).unref()
  return line.toString().trim()
}

const templateLock = 7_206_499

/** One template for all test files with the same migrations. */
async function ensureTemplate(serverUrl: string): Promise<string> {
  const name = `backhaul_template_${await migrationsDigest()}`
  await onServer(serverUrl, async (client) => {
    await client.query('select pg_advisory_lock($1)', [templateLock])
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount === 0) await buildTemplate(client, { serverUrl, name })
  })
  return name
}

async function buildTemplate(
  client: pg.Client,
  { serverUrl, name }: { serverUrl: string; name: string },
): Promise<void> {
  const unfinished = `${name}_unfinished`
  await client.query(`drop database if exists ${unfinished} with (force)`)
  await client.query(`create database ${unfinished} template template0 encoding 'UTF8'`)
  const database = new Database({ connection: { connectionString: withDatabase(serverUrl, unfinished) }, logger })
  await migrate(database, allMigrations)
  await database[Symbol.asyncDispose]()
  await client.query(`alter database ${unfinished} rename to ${name}`)
}

async function migrationsDigest(): Promise<string> {
  const hash = createHash('sha256')
  for (const { folder } of allMigrations) {
    for (const name of (await readdir(folder)).sort()) hash.update(await readFile(join(folder, name)))
  }
  return hash.digest('hex').slice(0, 16)
}

async function onServer(url: string, use: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await use(client)
  } finally {
    await client.end()
  }
}

function withDatabase(url: string, name: string): string {
  return url.replace(/^(\w+:\/\/[^/]*)\/[^?]*/, `$1/${name}`)
}
