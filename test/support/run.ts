import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'

/** How a program ended, and what it said. */
export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Uint8Array
}

/** Runs a program to its end, however that is, while this process goes on working. */
export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { bytes, ...ran } = await runBinary(program, args, options)
  return { ...ran, stdout: bytes.toString('utf8') }
}

/** The same for programs that must succeed; gives what it printed. */
export async function output(program: string, args: readonly string[], options: RunOptions = {}): Promise<Buffer> {
  const { code, bytes, stderr } = await runBinary(program, args, options)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${stderr}${bytes}`)
  return bytes
}

async function runBinary(program: string, args: readonly string[], { cwd, env, input }: RunOptions) {
  const path = process.env['PATH'] ?? ''
  const child = spawn(program, args, {
    cwd,
    env: { PATH: `${path}:/usr/sbin:/sbin`, LC_ALL: 'C.UTF-8', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // a program may end without reading
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [bytes, complaints, [code]] = await Promise.all([
    buffer(child.stdout),
    buffer(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { code, bytes, stderr: complaints.toString('utf8') }
}
