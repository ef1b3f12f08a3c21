import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { AppError } from '../../platform/errors.ts'
import { limits, sandboxEnvironment } from './sandbox.ts'

export interface CommandRequest {
  /** The program and its arguments; no shell reads them. */
  readonly command: readonly [string, ...string[]]
  /** What it reads from its standard input. */
  readonly input?: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

export interface CommandResult {
  /** Null when it was ended by a signal. */
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  readonly isTimedOut: boolean
  /** Whether output was more than is kept of it. */
  readonly isTruncated: boolean
}

const keptBytes = 1024 * 1024

/** How long output is still read after the command itself has ended. */
const lastWordsMs = 200

/**
 * Runs a command in the namespaces of a node's program and waits for its end. At the time-out, or when the signal aborts,
 * it is killed with its process group; what it left in the background lives on with the node.
 *
 * @param pid a process of the node, seen from outside
 * @throws AppError `conflict` when the namespaces cannot be entered
 */
export async function runInside(pid: number, request: CommandRequest): Promise<CommandResult> {
  const child = spawn('nsenter', [...namespacesOf(pid), ...limits('governed'), ...request.command], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: sandboxEnvironment,
    cwd: '/',
    detached: true,
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(request.input ?? '')
  const timeout = AbortSignal.timeout(request.timeoutMs)
  const end = AbortSignal.any([timeout, ...(request.signal === undefined ? [] : [request.signal])])
  const kill = () => killGroup(child)
  end.addEventListener('abort', kill, { once: true })
  try {
    const [ended, stdout, stderr] = await Promise.all([endOf(child), collect(child.stdout), collect(child.stderr)])
    return {
      ...ended,
      stdout: stdout.text,
      stderr: stderr.text,
      isTimedOut: timeout.aborted,
      isTruncated: stdout.isTruncated || stderr.isTruncated,
    }
  } finally {
    end.removeEventListener('abort', kill)
  }
}

function namespacesOf(pid: number): string[] {
  const kinds = ['user', 'net', 'mount', 'pid', 'ipc', 'uts', 'root'].map((kind) => `--${kind}`)
  return ['--target', String(pid), ...kinds, '--wdns=/node', '--']
}

/** Resolves when the command has ended; its output may be held open by what it left in the background. */
function endOf(child: ChildProcess): Promise<{ exitCode: number | null; signal: string | null }> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) =>
      reject(new AppError('conflict', `Cannot run the command: ${error.message}`, { cause: error })),
    )
    child.once('exit', (exitCode, signal) => {
      resolve({ exitCode, signal })
      const letGo = setTimeout(() => {
        child.stdout?.destroy()
        child.stderr?.destroy()
      }, lastWordsMs)
      child.once('close', () => clearTimeout(letGo))
    })
  })
}

async function collect(stream: Readable): Promise<{ text: string; isTruncated: boolean }> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  let isTruncated = false
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const room = keptBytes - sizeBytes
      if (chunk.length > room) isTruncated = true
      if (room <= 0) continue
      chunks.push(chunk.subarray(0, room))
      sizeBytes += Math.min(chunk.length, room)
    }
  } catch {
    // the pipe was let go when the command had ended
  }
  return { text: Buffer.concat(chunks).toString('utf8'), isTruncated }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // it has ended already
  }
}
