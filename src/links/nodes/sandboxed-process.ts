import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { AppError } from '../../platform/errors.ts'
import type { NodeConsole } from './node-kind.ts'
import { childrenOf } from './process-tree.ts'
import { type Sandbox, sandboxCommand } from './sandbox.ts'

/** A program in its sandbox, seen from outside. */
export interface SandboxedProcess {
  /** Process id of the sandbox's first process. */
  readonly pid: number
  /** Process id of the program, through which its namespaces are entered. */
  readonly programPid: number
  readonly console: NodeConsole
  readonly ended: Promise<string>
  kill(): void
}

/**
 * Says that the sandbox is complete, its loopback interface up, and waits for a line of ours. Only then does it follow its
 * maker into death: one that was left alone before finds its input at an end here, and ends.
 */
const onTerminal = 'echo && read -r _ && exec script -qfec "$1" /dev/null'

/**
 * Starts a program in a sandbox, on a terminal of its own.
 *
 * @param command run by a shell inside the sandbox, as `script(1)` wants it: nothing from outside may be part of it
 * @throws AppError `conflict` with what the sandbox said
 */
export async function startSandboxed(name: string, sandbox: Sandbox, command: string): Promise<SandboxedProcess> {
  const [program, ...args] = sandboxCommand(sandbox, ['sh', '-c', onTerminal, 'sh', command])
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe', 'pipe'], env: {}, detached: true, cwd: '/' })
  // typing at a program that is just ending is nobody's error
  child.stdin?.on('error', () => undefined)
  const complaint = collect(child.stderr as Readable)
  const ended = endOf(child)
  try {
    const info = (await json(child.stdio[3] as Readable)) as { 'child-pid': number }
    const pid = info['child-pid']
    await Promise.race([once(child.stdout as Readable, 'readable'), ended])
    child.stdout?.read()
    child.stdin?.write('\n')
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(await ended)
    const [programPid = pid] = await childrenOf(pid)
    return { pid, programPid, console: consoleOf(child), ended, kill: () => killSandbox(child, pid) }
  } catch (error) {
    child.kill('SIGKILL')
    throw new AppError('conflict', `Cannot start ${name}: ${(await complaint) || (await ended)}`, { cause: error })
  }
}

/**
 * Ends everything in a sandbox. Its first process is killed itself: it only follows the program that made it once it has
 * asked the kernel for that, which may be later than the order to end. Until that program has ended the id is no one else's.
 */
function killSandbox(child: ChildProcess, pid: number): void {
  if (child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has ended already
  }
  child.kill('SIGKILL')
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`),
    )
  })
}

function consoleOf({ stdin, stdout }: ChildProcess): NodeConsole {
  return { input: stdin as NodeConsole['input'], output: stdout as NodeConsole['output'] }
}

const complaintBytes = 2000

async function collect(stream: Readable): Promise<string> {
  let text = ''
  for await (const chunk of stream) {
    if (text.length < complaintBytes) text += chunk
  }
  return text.trim().slice(0, complaintBytes)
}
