import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/** A command line: the program, then its arguments. */
export type Command = readonly [string, ...string[]]

interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Program {
  /** Undefined when the program could not be started at all; `exited` and `output` then say so. */
  readonly pid: number | undefined
  readonly exited: Promise<Exit>
  hasExited(): boolean
  /** What it wrote last, on either stream. */
  output(): string
}

/**
 * Nothing of our own environment is passed on: it may hold secrets, and variables such as `PGDATA` or
 * `LC_ALL` would change what the programs do.
 */
const environment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
}

const keptLines = 40

/** How long output may still come after the end: a left grandchild can hold the pipes open for ever. */
const drainMs = 200

/** Starts a program in a session of its own, so that Ctrl-C in our terminal never reaches it. */
export function startProgram([file, ...args]: Command, onLine: (line: string) => void = () => {}): Program {
  const child = spawn(file, args, { cwd: '/', detached: true, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: string[] = []
  const keep = (line: string) => {
    lines.push(line)
    if (lines.length > keptLines) lines.shift()
    onLine(line)
  }
  for (const stream of [child.stdout, child.stderr]) readLines(stream, keep)

  let isOver = false
  const exited = untilExit(child, keep).finally(() => {
    isOver = true
  })
  return { pid: child.pid, exited, hasExited: () => isOver, output: () => lines.join('\n') }
}

function readLines(stream: Readable, keep: (line: string) => void): void {
  createInterface({ input: stream }).on('line', keep)
}

async function untilExit(child: ChildProcess, keep: (line: string) => void): Promise<Exit> {
  const closed = once(child, 'close').catch(() => undefined)
  try {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  } catch (error) {
    keep((error as Error).message)
  }
  await Promise.race([closed, sleep(drainMs, undefined, { ref: false })])
  child.stdout?.destroy()
  child.stderr?.destroy()
  return { code: child.exitCode, signal: child.signalCode }
}

/** Runs a program to its end. An abort kills it with everything that it started, and throws. */
export async function runProgram(command: Command, signal?: AbortSignal): Promise<{ isOk: boolean; output: string }> {
  signal?.throwIfAborted()
  const program = startProgram(command)
  const kill = () => sendSignal(program.pid === undefined ? undefined : -program.pid, 'SIGKILL')
  signal?.addEventListener('abort', kill, { once: true })
  const { code } = await program.exited
  signal?.removeEventListener('abort', kill)
  signal?.throwIfAborted()
  return { isOk: code === 0, output: program.output() }
}

/** Sends a signal to a process, or to a group when the number is negative. One that is gone is no error. */
export function sendSignal(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Asks again and again until the condition holds; false when it did not within the time. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  withinMs: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const end = performance.now() + withinMs
  while (!(await condition())) {
    if (performance.now() >= end) return false
    await sleep(5, undefined, signal === undefined ? {} : { signal })
  }
  return true
}

/** Smart shutdown waits for clients, so the first is a fast one, then one without a checkpoint, then none at all. */
const stopStages = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 10_000],
] as const

/** Stops a postmaster, ours or a left one, as gently as it lets us. */
export async function stopPostmaster(pid: number | undefined, isGone: () => boolean | Promise<boolean>): Promise<void> {
  for (const [signal, patienceMs] of stopStages) {
    if (await isGone()) return
    sendSignal(pid, signal)
    if (await waitUntil(isGone, patienceMs)) return
  }
}
