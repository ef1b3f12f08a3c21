import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { AppError } from '../errors.ts'
import type { Database } from './database.ts'

/** A folder of files `0001-words.sql`, applied in the order of their numbers and never changed afterwards. */
export interface MigrationSet {
  readonly name: string
  readonly folder: string
}

/** The tables of the platform itself. */
export const platformMigrations: MigrationSet = { name: 'platform', folder: join(import.meta.dirname, 'migrations') }

interface Migration {
  readonly set: string
  readonly number: number
  readonly name: string
  readonly sql: string
  readonly digest: string
}

interface AppliedMigration {
  readonly set_name: string
  readonly number: number
  readonly digest: string
}

/** One lock for all processes that share a database; the number is arbitrary and must never change. */
const migrationLock = 7_206_411

/**
 * Brings the database to the present form; sets are applied in the order given. Each migration is one transaction.
 *
 * @returns the names of the migrations that were applied now
 * @throws AppError `conflict` when the database is newer than this program or a migration was edited
 */
export async function migrate(database: Database, sets: readonly MigrationSet[]): Promise<string[]> {
  const wanted = (await Promise.all(sets.map(readSet))).flat()
  const client = await database.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await checkServerVersion(client)
    const applied = await readApplied(client)
    refuseStrangers(wanted, applied)
    const missing = wanted.filter((migration) => !applied.has(keyOf(migration.set, migration.number)))
    for (const migration of missing) await apply(client, migration)
    return missing.map(({ set, name }) => `${set}/${name}`)
  } finally {
    await client.end()
  }
}

async function readSet({ name: set, folder }: MigrationSet): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name), 'utf8')
      const digest = createHash('sha256').update(sql).digest('hex')
      return { set, number: Number.parseInt(name, 10), name: name.replace(/\.sql$/, ''), sql, digest }
    }),
  )
}

async function checkServerVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string }>(`select current_setting('server_version_num') as version`)
  const version = Number(rows[0]?.version)
  if (version >= 150_000) return
  const major = Math.floor(version / 10_000)
  throw new AppError('conflict', `Cannot use the database: it is PostgreSQL ${major}, and 15 or newer is needed`)
}

async function readApplied(client: pg.Client): Promise<Map<string, AppliedMigration>> {
  await client.query(`
    create table if not exists migrations (
      set_name text not null, number integer not null, name text not null, digest text not null,
      applied_at timestamptz not null default now(), primary key (set_name, number)
    )`)
  const { rows } = await client.query<AppliedMigration>('select set_name, number, digest from migrations')
  return new Map(rows.map((row) => [keyOf(row.set_name, row.number), row]))
}

function refuseStrangers(wanted: readonly Migration[], applied: ReadonlyMap<string, AppliedMigration>): void {
  const known = new Map(wanted.map((migration) => [keyOf(migration.set, migration.number), migration]))
  for (const [key, { digest }] of applied) {
    const migration = known.get(key)
    if (migration === undefined) {
      throw new AppError(
        'conflict',
        `Cannot use the database: its migration ${key} is unknown, a newer Backhaul made it`,
      )
    }
    if (migration.digest !== digest) {
      throw new AppError('conflict', `Cannot use the database: migration ${key} is not the one that was applied`)
    }
  }
}

async function apply(client: pg.Client, { set, number, name, sql, digest }: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(sql)
    await client.query('insert into migrations (set_name, number, name, digest) values ($1, $2, $3, $4)', [
      set,
      number,
      name,
      digest,
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new AppError('internal', `Cannot apply migration ${set}/${name}`, { cause: error })
  }
}

function keyOf(set: string, number: number): string {
  return `${set}/${number}`
}
