import { mkdir, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { AppError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import { assertUsable, prepareCluster } from './cluster.ts'
import { connectionThrough, type EmbeddedConnection } from './connection.ts'
import { chooseLauncher } from './launcher.ts'
import { findPostgresBinaries } from './postgres-binaries.ts'
import { stopLeftServer } from './postmaster.ts'
import { startServer, type UnexpectedEnd } from './server.ts'
import { serverArguments } from './server-settings.ts'
import { makeSocketFolder, removeSocketFolder, socketFolderPath, socketPort } from './socket-folder.ts'

export interface EmbeddedPostgresOptions {
  /** The data folder. Its parent also takes the folder of a first start that is not finished. */
  readonly folder: string
  readonly logger: Logger
  readonly signal?: AbortSignal | undefined
}

/** A running server. Disposing it stops it; it also ends when this process does, even when that is killed. */
export interface EmbeddedPostgres extends AsyncDisposable {
  readonly connection: EmbeddedConnection
  /** Resolves when the server ends without having been stopped by us, and never otherwise. */
  readonly ended: Promise<UnexpectedEnd>
}

/**
 * Starts PostgreSQL on a folder of ours, which it fills at the first start. The caller must have made sure
 * that no other process uses the folder: a server that still runs there counts as left behind and is stopped.
 * To be called in the main thread: the server ends with the thread that started it.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(options)
  } catch (error) {
    if (options.signal?.aborted !== true) throw error
    throw new AppError('cancelled', 'The start of the embedded database was cancelled', { cause: error })
  }
}

async function start({ folder: wanted, logger, signal }: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = await canonicalPath(wanted)
  const binaries = await findPostgresBinaries()
  const launcher = await chooseLauncher({ postgres: binaries.postgres, reach: dirname(folder), signal })
  await assertUsable(folder, launcher.major)
  await stopLeftServer(folder)
  await prepareCluster({ folder, binaries, launcher, logger, signal })

  await using opened = new AsyncDisposableStack()
  const socketFolder = socketFolderPath(folder, launcher.owner)
  await makeSocketFolder(socketFolder, launcher.owner)
  opened.defer(() => removeSocketFolder(socketFolder))
  const command = [binaries.postgres, ...serverArguments(folder, socketFolder)] as const
  const server = await startServer({ command, folder, launcher, logger, signal })
  opened.defer(() => server.stop())

  const kept = opened.move()
  return {
    connection: connectionThrough(socketFolder, socketPort),
    ended: server.ended,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** One name for one folder, whatever links lead to it: the socket's place and left servers are found by it. */
async function canonicalPath(folder: string): Promise<string> {
  const path = resolve(folder)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  return realpath(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return join(await realpath(dirname(path)), basename(path))
  })
}
