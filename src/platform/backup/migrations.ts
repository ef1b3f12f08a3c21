import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import type { MigrationSet } from '../db/migrate.ts'
import { AppError } from '../errors.ts'
import type { BackedUpMigration } from './manifest.ts'

interface KnownMigration extends BackedUpMigration {
  readonly sql: string
}

/** What was applied to this database, in order; nothing when it is new. */
export async function readAppliedMigrations(client: pg.Client): Promise<BackedUpMigration[]> {
  const { rows: found } = await client.query<{ name: string | null }>(`select to_regclass('public.migrations') as name`)
  if (found[0]?.name == null) return []
  const { rows } = await client.query<BackedUpMigration>(
    'select set_name as set, number, name, digest from migrations order by applied_at, set_name, number',
  )
  return rows
}

/**
 * Brings the database to the form that the backup was made from: those of its migrations that are not applied yet are,
 * in this program's order.
 *
 * @throws AppError `conflict` when the backup has migrations that this program lacks, or the database ones that the
 * backup lacks
 */
export async function applyMigrations(
  client: pg.Client,
  wanted: readonly BackedUpMigration[],
  sets: readonly MigrationSet[],
): Promise<void> {
  const known = (await Promise.all(sets.map(readSet))).flat()
  const applied = new Map((await readAppliedMigrations(client)).map((migration) => [keyOf(migration), migration]))
  refuseUnknown(wanted, known)
  refuseOthers(applied.values(), wanted)
  const wantedKeys = new Set(wanted.map(keyOf))
  await createMigrationsTable(client)
  for (const migration of known) {
    const key = keyOf(migration)
    if (wantedKeys.has(key) && !applied.has(key)) await apply(client, migration)
  }
}

/** As `migrate` makes it. */
async function createMigrationsTable(client: pg.Client): Promise<void> {
  await client.query(`
    create table if not exists migrations (
      set_name text not null, number integer not null, name text not null, digest text not null,
      applied_at timestamptz not null default now(), primary key (set_name, number)
    )`)
}

async function apply(client: pg.Client, { set, number, name, digest, sql }: KnownMigration): Promise<void> {
  await client.query(sql)
  const insert =
    'insert into migrations (set_name, number, name, digest, applied_at) values ($1, $2, $3, $4, clock_timestamp())'
  await client.query(insert, [set, number, name, digest])
}

function refuseUnknown(wanted: readonly BackedUpMigration[], known: readonly KnownMigration[]): void {
  const digests = new Map(known.map((migration) => [keyOf(migration), migration.digest]))
  for (const migration of wanted) {
    const digest = digests.get(keyOf(migration))
    if (digest === migration.digest) continue
    const state = digest === undefined ? 'is unknown, a newer Backhaul made it' : 'is not the one of this Backhaul'
    throw new AppError('conflict', `Cannot restore: migration ${keyOf(migration)} of the backup ${state}`)
  }
}

function refuseOthers(applied: Iterable<BackedUpMigration>, wanted: readonly BackedUpMigration[]): void {
  const digests = new Map(wanted.map((migration) => [keyOf(migration), migration.digest]))
  for (const migration of applied) {
    if (digests.get(keyOf(migration)) === migration.digest) continue
    throw new AppError(
      'conflict',
      `Cannot restore: the database has migration ${keyOf(migration)}, which the backup lacks; use a new database`,
    )
  }
}

async function readSet({ name: set, folder }: MigrationSet): Promise<KnownMigration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name), 'utf8')
      const digest = createHash('sha256').update(sql).digest('hex')
      return { set, number: Number.parseInt(name, 10), name: name.replace(/\.sql$/, ''), digest, sql }
    }),
  )
}

function keyOf({ set, number }: BackedUpMigration): string {
  return `${set}/${number}`
}
