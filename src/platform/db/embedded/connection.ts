import { readFileSync } from 'node:fs'
import { parsePostmasterFile, postmasterFilePath } from './postmaster.ts'

export interface EmbeddedConnection {
  /** The folder of the server's Unix socket; there is no other way in. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
}

export const databaseUser = 'backhaul'

const databaseName = 'postgres'

export function connectionThrough(socketFolder: string, port: number): EmbeddedConnection {
  return { host: socketFolder, port, user: databaseUser, database: databaseName }
}

/**
 * How to reach the server that runs on this data folder, started by whatever process. Undefined when it says
 * itself that it is not ready; after a crash there may be an answer but no server.
 */
export function embeddedConnection(folder: string): EmbeddedConnection | undefined {
  const running = parsePostmasterFile(readOrEmpty(postmasterFilePath(folder)))
  return running?.isReady ? connectionThrough(running.socketFolder, running.port) : undefined
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
