import type pg from 'pg'
import {
  applyMigration,
  createMigrationsTable,
  type Migration,
  type MigrationIdentity,
  type MigrationSet,
  migrationKey,
  readAppliedMigrations,
  readMigrations,
} from '../db/migration.ts'
import { AppError } from '../errors.ts'

/**
 * Brings the database to the form that the backup was made from: those of its migrations that are not applied yet are,
 * in this program's order.
 *
 * @throws AppError `conflict` when the backup has migrations that this program lacks, or the database ones that the
 * backup lacks
 */
export async function applyMigrations(
  client: pg.Client,
  wanted: readonly MigrationIdentity[],
  sets: readonly MigrationSet[],
): Promise<void> {
  const known = await readMigrations(sets)
  const applied = new Map(
    (await readAppliedMigrations(client)).map((migration) => [migrationKey(migration), migration]),
  )
  refuseUnknown(wanted, known)
  refuseOthers(applied.values(), wanted)
  const wantedKeys = new Set(wanted.map(migrationKey))
  await createMigrationsTable(client)
  for (const migration of known) {
    const key = migrationKey(migration)
    if (wantedKeys.has(key) && !applied.has(key)) await applyMigration(client, migration)
  }
}

function refuseUnknown(wanted: readonly MigrationIdentity[], known: readonly Migration[]): void {
  const digests = new Map(known.map((migration) => [migrationKey(migration), migration.digest]))
  for (const migration of wanted) {
    const digest = digests.get(migrationKey(migration))
    if (digest === migration.digest) continue
    const state = digest === undefined ? 'is unknown, a newer Backhaul made it' : 'is not the one of this Backhaul'
    throw new AppError('conflict', `Cannot restore: migration ${migrationKey(migration)} of the backup ${state}`)
  }
}

function refuseOthers(applied: Iterable<MigrationIdentity>, wanted: readonly MigrationIdentity[]): void {
  const digests = new Map(wanted.map((migration) => [migrationKey(migration), migration.digest]))
  for (const migration of applied) {
    if (digests.get(migrationKey(migration)) === migration.digest) continue
    throw new AppError(
      'conflict',
      `Cannot restore: the database has migration ${migrationKey(migration)}, which the backup lacks; use a new database`,
    )
  }
}
