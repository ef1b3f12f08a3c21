import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { dataFolder } from '../src/platform/data-folder/data-folder.ts'
import { embeddedConnection } from '../src/platform/db/embedded/connection.ts'
import { freePort } from '../test/support/free-port.ts'
import { startProgram } from '../test/support/program.ts'
import type { TestServer } from '../test/support/test-server.ts'

/** The real program, as `npm start` runs it, with its own database and a folder of its own. */
export interface BenchProgram extends AsyncDisposable {
  readonly server: TestServer
  /** URL of the content listener. */
  readonly content: string
  /** For what no client can do, or not in time. */
  readonly database: pg.Pool
  /** The sum of PSS over all its processes, database included. */
  memoryMegabytes(): number
}

export async function openProgram(): Promise<BenchProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'backhaul-bench-'))
  const ports = { api: await freePort(), content: await freePort() }
  const program = await startProgram(folder, ports)
  if (!program.isReady) throw new Error(`The server does not start: ${program.complaints()}`)
  const database = new pg.Pool(embeddedConnection(dataFolder(join(folder, 'data')).postgres))
  return {
    server: program.server,
    database,
    content: `http://127.0.0.1:${ports.content}`,
    memoryMegabytes: () => sumOf(descendants(program.child.pid ?? 0)),
    [Symbol.asyncDispose]: async () => {
      await database.end()
      await program.stop('SIGTERM')
      await rm(folder, { recursive: true })
    },
  }
}

function descendants(root: number): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const parents = lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number])
  const found = [root]
  for (const pid of found) found.push(...parents.filter(([, parent]) => parent === pid).map(([child]) => child))
  return found
}

function sumOf(pids: readonly number[]): number {
  let kibibytes = 0
  for (const pid of pids) {
    try {
      kibibytes += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
    } catch {
      // it has ended meanwhile
    }
  }
  return kibibytes / 1024
}
