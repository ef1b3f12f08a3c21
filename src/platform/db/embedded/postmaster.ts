import { execFile } from 'node:child_process'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { AppError } from '../../errors.ts'
import { sendSignal, stopPostmaster, waitUntil } from './program.ts'

/** What a postmaster writes about itself in its data folder. */
export interface PostmasterFile {
  readonly pid: number
  readonly port: number
  readonly socketFolder: string
  readonly isReady: boolean
}

export function postmasterFilePath(folder: string): string {
  return join(folder, 'postmaster.pid')
}

/** Reads the text of a `postmaster.pid`, line for line as in PostgreSQL's pidfile.h; it may be half-written. */
export function parsePostmasterFile(text: string): PostmasterFile | undefined {
  const [pid = '', , , port = '', socketFolder = '', , , status = ''] = text.split('\n')
  if (!/^[1-9]\d*$/.test(pid.trim())) return undefined
  return { pid: Number(pid), port: Number(port), socketFolder, isReady: status.trim() === 'ready' }
}

export async function findPostmasterFile(folder: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(postmasterFilePath(folder), 'utf8').catch(() => '')
  return parsePostmasterFile(text)
}

/**
 * Stops the server that a killed parent left running, and removes the file that names it: PostgreSQL itself
 * would refuse to start when an unrelated process has that number by now.
 */
export async function stopLeftServer(folder: string): Promise<void> {
  const left = await findPostmasterFile(folder)
  if (left !== undefined) {
    const isGone = async () => !(await isPostmasterOf(left.pid, folder))
    await stopPostmaster(left.pid, isGone)
    if (!(await isGone())) {
      throw new AppError('unavailable', `Cannot stop the PostgreSQL server ${left.pid} that uses ${folder}`)
    }
  }
  await rm(postmasterFilePath(folder), { force: true })
}

/** Whether the process is alive and a postmaster of just this folder: numbers are used again. */
async function isPostmasterOf(pid: number, folder: string): Promise<boolean> {
  const [program = '', ...args] = await commandLine(pid)
  if (basename(program) !== 'postgres') return false
  return args.includes(folder) || (await isSameFolder(`/proc/${pid}/cwd`, folder))
}

async function commandLine(pid: number): Promise<string[]> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return text.split('\0')
  }
  const { stdout } = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }))
  const [program = '', rest = ''] = stdout.trim().split(' -D ')
  return [program, rest.split(' -c ')[0] ?? '']
}

async function isSameFolder(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)))
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev
}

/**
 * Kills the backends that outlived their postmaster: one that computes notices nothing, and as long as it has
 * the shared memory no new server starts. Must only be called when no postmaster is alive.
 */
export async function killOrphans(folder: string): Promise<void> {
  const orphans = await findOrphans(folder)
  for (const pid of orphans) sendSignal(pid, 'SIGKILL')
  await waitUntil(async () => (await findOrphans(folder)).length === 0, 10_000)
}

async function findOrphans(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number)
  const matches = await Promise.all(
    pids.map(
      async (pid) => (await commandName(pid)) === 'postgres' && (await isSameFolder(`/proc/${pid}/cwd`, folder)),
    ),
  )
  return pids.filter((_pid, index) => matches[index])
}

async function commandName(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim()
}
