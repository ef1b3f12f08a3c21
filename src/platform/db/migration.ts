import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'

/** A folder of files `0001-words.sql`, applied in the order of their numbers and never changed afterwards. */
export interface MigrationSet {
  readonly name: string
  readonly folder: string
}

/** What names a migration and tells whether it is still the same. */
export interface MigrationIdentity {
  readonly set: string
  readonly number: number
  readonly name: string
  readonly digest: string
}

export interface Migration extends MigrationIdentity {
  readonly sql: string
}

/** One lock for all who change the form of a database; the number is arbitrary and must never change. */
const migrationLock = 7_206_411

/** Makes all others who would change the form of the database wait until this session ends. */
export async function lockMigrations(client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [migrationLock])
}

/** All migrations of the sets, in the order in which they are applied. */
export async function readMigrations(sets: readonly MigrationSet[]): Promise<Migration[]> {
  return (await Promise.all(sets.map(readSet))).flat()
}

async function readSet({ name: set, folder }: MigrationSet): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name), 'utf8')
      const digest = createHash('sha256').update(sql).digest('hex')
      return { set, number: Number.parseInt(name, 10), name: name.replace(/\.sql$/, ''), digest, sql }
    }),
  )
}

/** What was applied to this database, in order; nothing when it is new. */
export async function readAppliedMigrations(client: pg.Client): Promise<MigrationIdentity[]> {
  const { rows: found } = await client.query<{ name: string | null }>(`select to_regclass('public.migrations') as name`)
  if (found[0]?.name == null) return []
  const { rows } = await client.query<MigrationIdentity>(
    'select set_name as set, number, name, digest from migrations order by applied_at, set_name, number',
  )
  return rows
}

export async function createMigrationsTable(client: pg.Client): Promise<void> {
  await client.query(`
    create table if not exists migrations (
      set_name text not null, number integer not null, name text not null, digest text not null,
      applied_at timestamptz not null default now(), primary key (set_name, number)
    )`)
}

/** Runs a migration and notes it, within the caller's transaction. */
export async function applyMigration(client: pg.Client, { set, number, name, digest, sql }: Migration): Promise<void> {
  await client.query(sql)
  // several may be applied in one transaction, and are told apart by their time
  const insert =
    'insert into migrations (set_name, number, name, digest, applied_at) values ($1, $2, $3, $4, clock_timestamp())'
  await client.query(insert, [set, number, name, digest])
}

export function migrationKey({ set, number }: Pick<MigrationIdentity, 'set' | 'number'>): string {
  return `${set}/${number}`
}
