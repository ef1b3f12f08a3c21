import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { claimConsolePorts } from './console-ports.ts'
import { adminPassword, ask, type TestServer } from './test-server.ts'

/** The real program with its own embedded database, as `npm start` runs it. */
export async function startProgram(
  folder: string,
  ports: { api: number; content: number },
  wrapper: readonly string[] = [],
) {
  const consolePorts = await claimConsolePorts()
  const program = join(import.meta.dirname, '../../bin/backhaul.mjs')
  const start = performance.now()
  const [command = '', ...args] = [...wrapper, process.execPath, program, 'serve']
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      BACKHAUL_DATA: join(folder, 'data'),
      BACKHAUL_API_LISTEN: `127.0.0.1:${ports.api}`,
      BACKHAUL_CONTENT_LISTEN: `127.0.0.1:${ports.content}`,
      BACKHAUL_ADMIN_PASSWORD: adminPassword,
      BACKHAUL_CONSOLE_PORTS: consolePorts.range,
      BACKHAUL_LOG_LEVEL: 'warn',
    },
  })
  child.once('exit', () => consolePorts[Symbol.asyncDispose]())
  let complaints = ''
  child.stderr.on('data', (chunk) => {
    complaints += chunk
  })
  const first = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), once(child, 'exit')])
  const api = `http://127.0.0.1:${ports.api}`
  const server = {
    api,
    ask: (path: string, asking?: object) => ask(new URL(path, api), asking),
  } as unknown as TestServer
  const stop = async (signal: NodeJS.Signals): Promise<number | string> => {
    if (child.exitCode !== null) return child.exitCode
    if (child.signalCode !== null) return child.signalCode
    child.kill(signal)
    const [code, by] = await once(child, 'exit')
    return code ?? by
  }
  return {
    child,
    server,
    isReady: first[0] === 'Backhaul is ready.',
    readyMs: performance.now() - start,
    complaints: () => complaints,
    /** Gives the exit code, or the signal that ended it. */
    stop,
    /** However a test ends. */
    [Symbol.asyncDispose]: async () => {
      await stop('SIGKILL')
    },
  }
}

/** The processes that have this folder in their command line or as their working folder. */
export function processesOf(folder: string): string[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' }).split('\n')
  return lines.filter((line) => line.includes(folder) && !/^\s*\d+ Z/.test(line))
}

/** The network namespaces, other than ours, of the processes that have this folder in their command line and of what they started. */
export function networkNamespaces(folder: string): ReadonlySet<string> {
  const own = readlinkSync('/proc/self/ns/net')
  const pids = processesOf(folder).map((line) => Number(line.trim().split(' ', 1)[0]))
  for (const pid of pids) pids.push(...childrenOf(pid))
  return new Set(pids.flatMap(namespaceOf).filter((namespace) => namespace !== own))
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function namespaceOf(pid: number): string[] {
  try {
    return [readlinkSync(`/proc/${pid}/ns/net`)]
  } catch {
    return []
  }
}
