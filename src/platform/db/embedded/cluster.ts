import { chown, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import { databaseUser } from './connection.ts'
import type { Launcher } from './launcher.ts'
import type { PostgresBinaries } from './postgres-binaries.ts'
import { runProgram } from './program.ts'

export interface ClusterOptions {
  readonly folder: string
  readonly binaries: PostgresBinaries
  readonly launcher: Launcher
  readonly logger: Logger
  readonly signal?: AbortSignal | undefined
}

/** The major version whose data lies in the folder, if any does. */
async function findDataMajor(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Throws when the folder holds data that the programs cannot use. */
export async function assertUsable(folder: string, major: string): Promise<void> {
  const found = await findDataMajor(folder)
  if (found === undefined || found === major) return
  throw new AppError(
    'conflict',
    `Cannot start the embedded database: ${folder} holds data of PostgreSQL ${found}, this release runs ${major}. ` +
      'Make a backup with the release that wrote it, move the folder away, start this release, and restore the backup',
  )
}

/** Makes sure that the folder holds a whole cluster of the right owner; makes one when there is none. */
export async function prepareCluster(options: ClusterOptions): Promise<void> {
  const { folder, launcher, logger } = options
  await removeUnfinished(folder, logger)
  if ((await findDataMajor(folder)) === undefined) await createCluster(options)
  else await giveTo(folder, launcher)
}

function unfinishedPrefix(folder: string): string {
  return `${basename(folder)}.initdb-`
}

/** Removes what starts that were killed left. */
async function removeUnfinished(folder: string, logger: Logger): Promise<void> {
  const parent = dirname(folder)
  const names = (await readdir(parent)).filter((name) => name.startsWith(unfinishedPrefix(folder)))
  for (const name of names) {
    await rm(join(parent, name), { recursive: true, force: true, maxRetries: 5 }).catch((error: unknown) => {
      logger.warn({ err: error }, `Cannot remove ${join(parent, name)}`)
    })
  }
}

/** Makes the cluster beside its place and moves it there when it is whole and on disk. */
async function createCluster({ folder, binaries, launcher, logger, signal }: ClusterOptions): Promise<void> {
  await assertEmpty(folder)
  logger.info('Creating the embedded database')
  const parent = dirname(folder)
  const unfinished = await mkdtemp(join(parent, unfinishedPrefix(folder)))
  try {
    await chown(unfinished, launcher.owner.uid, launcher.owner.gid)
    const command = launcher.wrap([binaries.initdb, '-D', unfinished, ...initdbOptions], 'SIGTERM')
    const { isOk, output } = await runProgram(command, signal)
    if (!isOk) throw new AppError('unavailable', `Cannot create the embedded database: ${output}`)
    await rename(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true, maxRetries: 5 })
    throw error
  }
  await syncFolder(parent)
}

/**
 * The built-in C.UTF-8 sorts as plain C does and depends on no system library, but knows the case of letters
 * beyond ASCII. Everybody who reaches the socket may be trusted because only its owner can.
 */
const initdbOptions = [
  `--username=${databaseUser}`,
  '--auth=trust',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
  '--no-instructions',
]

async function assertEmpty(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await readdir(folder)).length === 0) return
  throw new AppError(
    'conflict',
    `Cannot create the embedded database: ${folder} is not empty and holds no PostgreSQL data; move it away`,
  )
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** PostgreSQL insists on owning its data. Only root can find it owned by another, after a start in another way. */
async function giveTo(folder: string, { owner, mode }: Launcher): Promise<void> {
  if (mode === 'plain' || (await stat(folder)).uid === owner.uid) return
  // chown(1) follows no link, not even one that is put there meanwhile, and comes to the folder itself last.
  const { isOk, output } = await runProgram(['chown', '-RhP', `${owner.uid}:${owner.gid}`, '--', folder])
  if (!isOk) throw new AppError('unavailable', `Cannot give ${folder} to the user who runs PostgreSQL: ${output}`)
}
