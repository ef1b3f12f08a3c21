import { createHash } from 'node:crypto'
import { chown, lstat, mkdir, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import type { Owner } from './launcher.ts'

/** The socket's number; no TCP port is involved, and each server has a folder of its own. */
export const socketPort = 5432

const socketName = `.s.PGSQL.${socketPort}`

/** unix(7): `sun_path` has 108 bytes and its end needs one. */
const maxPathBytes = 107

/**
 * Where the socket of a data folder lies. The owner is part of the name because a folder that another user
 * made cannot be used, and as root that user may be another one at each start.
 */
export function socketFolderPath(folder: string, owner: Owner, temporary = tmpdir()): string {
  const name = `backhaul-${createHash('sha256').update(`${owner.uid}:${folder}`).digest('hex').slice(0, 16)}`
  const path = join(temporary, name)
  return Buffer.byteLength(join(path, socketName)) <= maxPathBytes ? path : join('/tmp', name)
}

/**
 * Makes the folder, which is the whole protection of the database: who can enter it is superuser. One that
 * exists is used only when nobody else can have made it or can look into it.
 */
export async function makeSocketFolder(path: string, owner: Owner): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
    await chown(path, owner.uid, owner.gid)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    await assertOurs(path, owner)
    await removeFiles(path)
  }
}

async function assertOurs(path: string, owner: Owner): Promise<void> {
  const found = await lstat(path)
  if (found.isDirectory() && found.uid === owner.uid && (found.mode & 0o777) === 0o700) return
  throw new AppError(
    'unavailable',
    `Cannot start the embedded database: ${path} must be a folder of user ${owner.uid} with mode 0700 but is not; remove it`,
  )
}

/** Removes the folder of a server that has ended. */
export async function removeSocketFolder(path: string): Promise<void> {
  await removeFiles(path)
  await rmdir(path).catch(() => undefined)
}

async function removeFiles(path: string): Promise<void> {
  // By name and never recursively: the folder's parent is open to everybody.
  for (const name of [socketName, `${socketName}.lock`]) await rm(join(path, name), { force: true })
}
