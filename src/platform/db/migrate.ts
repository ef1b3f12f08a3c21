import { join } from 'node:path'
import type pg from 'pg'
import { AppError } from '../errors.ts'
import type { Database } from './database.ts'
import {
  applyMigration,
  createMigrationsTable,
  lockMigrations,
  type Migration,
  type MigrationIdentity,
  type MigrationSet,
  migrationKey,
  readAppliedMigrations,
  readMigrations,
} from './migration.ts'

/** The tables of the platform itself. */
export const platformMigrations: MigrationSet = { name: 'platform', folder: join(import.meta.dirname, 'migrations') }

/**
 * Brings the database to the present form; sets are applied in the order given. Each migration is one transaction.
 *
 * @returns the names of the migrations that were applied now
 * @throws AppError `conflict` when the database is newer than this program or a migration was edited
 */
export async function migrate(database: Database, sets: readonly MigrationSet[]): Promise<string[]> {
  const wanted = await readMigrations(sets)
  const client = await database.connect()
  try {
    await lockMigrations(client)
    await checkServerVersion(client)
    await createMigrationsTable(client)
    const applied = new Map(
      (await readAppliedMigrations(client)).map((migration) => [migrationKey(migration), migration]),
    )
    refuseStrangers(wanted, applied)
    const missing = wanted.filter((migration) => !applied.has(migrationKey(migration)))
    for (const migration of missing) await applyAlone(client, migration)
    return missing.map(({ set, name }) => `${set}/${name}`)
  } finally {
    await client.end()
  }
}

async function checkServerVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string }>(`select current_setting('server_version_num') as version`)
  const version = Number(rows[0]?.version)
  if (version >= 150_000) return
  const major = Math.floor(version / 10_000)
  throw new AppError('conflict', `Cannot use the database: it is PostgreSQL ${major}, and 15 or newer is needed`)
}

function refuseStrangers(wanted: readonly Migration[], applied: ReadonlyMap<string, MigrationIdentity>): void {
  const known = new Map(wanted.map((migration) => [migrationKey(migration), migration]))
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

async function applyAlone(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    await applyMigration(client, migration)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new AppError('internal', `Cannot apply migration ${migration.set}/${migration.name}`, { cause: error })
  }
}
