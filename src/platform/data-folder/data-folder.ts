import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { type FileLock, tryLockFile } from './flock.ts'

/**
 * Everything that is kept, and the only place that knows where:
 *
 *   <data>/
 *     postgres/        the embedded database
 *     blobs/           content-addressed bytes (see blobs/paths.ts)
 *     projects/        files of labs, one folder per project
 *     secret-key       seals stored secrets, when no BACKHAUL_SECRET_KEY is set
 *     admin-password   of the first start, when none was given
 *     data.lock        held exclusively by a process with the embedded database, shared by others
 *     links.lock       held exclusively by the process with the role `links`
 */
export interface DataFolder {
  readonly path: string
  readonly postgres: string
  readonly blobs: string
  readonly projects: string
  readonly secretKey: string
  readonly adminPassword: string
}

export function dataFolder(path: string): DataFolder {
  return {
    path,
    postgres: join(path, 'postgres'),
    blobs: join(path, 'blobs'),
    projects: join(path, 'projects'),
    secretKey: join(path, 'secret-key'),
    adminPassword: join(path, 'admin-password'),
  }
}

export interface DataFolderUse {
  readonly isDatabaseEmbedded: boolean
  readonly ownsLinks: boolean
}

/**
 * Makes the folder and takes the locks that this use of it needs.
 *
 * @throws AppError `conflict` when another process uses the folder in a way that excludes this one
 */
export async function lockDataFolder({ path }: DataFolder, use: DataFolderUse): Promise<Disposable> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  using locks = new DisposableStack()
  locks.use(lock(path, 'data.lock', use.isDatabaseEmbedded ? 'exclusive' : 'shared'))
  if (use.ownsLinks) locks.use(lock(path, 'links.lock', 'exclusive'))
  return locks.move()
}

const refusals = {
  links: { why: 'role "links"', remedy: 'leave "links" out of BACKHAUL_ROLES here' },
  database: { why: 'embedded database', remedy: 'give all of them one BACKHAUL_DATABASE_URL' },
} as const

function lock(folder: string, name: string, mode: 'exclusive' | 'shared'): FileLock {
  const taken = tryLockFile(join(folder, name), mode)
  if (taken !== undefined) return taken
  const { why, remedy } = name === 'links.lock' ? refusals.links : refusals.database
  throw new AppError(
    'conflict',
    `Cannot use ${folder}: another Backhaul runs on it, and only one can run with the ${why}. Stop that one, ${remedy}, or set another BACKHAUL_DATA`,
  )
}
