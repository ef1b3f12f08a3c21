import { AppError, messageOf } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import type { Launcher } from './launcher.ts'
import { findPostmasterFile, killOrphans } from './postmaster.ts'
import { type Command, type Program, startProgram, stopPostmaster, waitUntil } from './program.ts'

/** How a server ended that nobody had stopped. */
export interface UnexpectedEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** What it wrote last. */
  readonly output: string
}

export interface Server {
  readonly ended: Promise<UnexpectedEnd>
  stop(): Promise<void>
}

export interface ServerOptions {
  readonly command: Command
  readonly folder: string
  readonly launcher: Launcher
  readonly logger: Logger
  readonly signal?: AbortSignal | undefined
}

/** Gives a server that takes connections, or throws and leaves none. */
export async function startServer(options: ServerOptions): Promise<Server> {
  try {
    return await tryServer(options)
  } catch (error) {
    if (!messageOf(error).includes('pre-existing shared memory block')) throw error
    await killOrphans(options.folder)
    return tryServer(options)
  }
}

async function tryServer({ command, folder, launcher, logger, signal }: ServerOptions): Promise<Server> {
  const program = startProgram(launcher.wrap(command, 'SIGINT'), (line) => logger.debug(line))
  try {
    await untilReady(program, folder, signal)
  } catch (error) {
    await stopPostmaster(program.pid, program.hasExited)
    throw error
  }
  return watch(program)
}

/** A server that repairs itself after a crash may take minutes, so only its end or an abort ends the wait. */
async function untilReady(program: Program, folder: string, signal?: AbortSignal): Promise<void> {
  const isReady = async () => {
    const file = await findPostmasterFile(folder)
    return file?.pid === program.pid && file?.isReady === true
  }
  await waitUntil(async () => program.hasExited() || (await isReady()), Number.POSITIVE_INFINITY, signal)
  if (!program.hasExited()) return
  throw new AppError('unavailable', `Cannot start the embedded database: ${program.output()}`)
}

function watch(program: Program): Server {
  let stopped: Promise<void> | undefined
  const ended = new Promise<UnexpectedEnd>((resolve) => {
    void program.exited.then((exit) => {
      if (stopped === undefined) resolve({ ...exit, output: program.output() })
    })
  })
  return {
    ended,
    stop() {
      stopped ??= stopPostmaster(program.pid, program.hasExited)
      return stopped
    },
  }
}
