import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Config } from '../config.ts'
import { allMigrations } from '../open-database.ts'
import { backup } from '../platform/backup/backup.ts'
import { restore } from '../platform/backup/restore.ts'
import { openFileBlobStore } from '../platform/blobs/file-blob-store.ts'
import { migrate } from '../platform/db/migrate.ts'
import { createLogger } from '../platform/log.ts'
import { withAnyDatabase, withRestingDatabase } from './with-database.ts'

/** Writes a backup of a running or resting server; the file has its name only when it is whole. Gives words on what is in it. */
export async function backUp(config: Config, path: string): Promise<string> {
  const unfinished = `${path}.unfinished`
  try {
    const manifest = await withAnyDatabase(config, createLogger(config.logLevel), async ({ database, folder }) => {
      const blobs = await openFileBlobStore(folder.blobs)
      return backup({ database, blobs, output: createWriteStream(unfinished, { mode: 0o600, flush: true }) })
    })
    await rename(unfinished, path)
    return `${manifest.tables.length} tables, ${manifest.blobs.count} blobs of ${manifest.blobs.bytes} bytes`
  } finally {
    await rm(unfinished, { force: true })
  }
}

/** Fills an empty server from a backup, whole or not at all, and brings it to this program's form. */
export async function restoreFrom(config: Config, path: string): Promise<string> {
  return withRestingDatabase(config, createLogger(config.logLevel), async ({ database, folder }) => {
    const blobs = await openFileBlobStore(folder.blobs)
    const manifest = await restore({ database, blobs, migrations: allMigrations, input: createReadStream(path) })
    await migrate(database, allMigrations)
    return `the backup of ${manifest.createdAt}`
  })
}

/** Brings the database of a resting server to this program's form; gives the names of what was applied. */
export async function migrateNow(config: Config): Promise<string[]> {
  return withRestingDatabase(config, createLogger(config.logLevel), ({ database }) => migrate(database, allMigrations))
}
