import { spawn } from 'node:child_process'

export interface Step {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  readonly env?: Readonly<Record<string, string>>
}

/** Runs one command to its end and tells how long it took; what it printed is shown only when it failed, or when `isShown`. */
export async function runStep({ name, command, env = {} }: Step, { isShown = false } = {}): Promise<boolean> {
  const start = Date.now()
  const [program, ...args] = command
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (isShown ? process.stdout.write(chunk) : output.push(chunk)))
  }
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(127))
    child.once('close', resolve)
  })
  const isGood = code === 0
  if (!isGood) process.stdout.write(Buffer.concat(output))
  console.log(`${isGood ? 'ok    ' : 'FAILED'}  ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`)
  return isGood
}

/** Format, lint, types and unused code: what can be said of the tree without running it. */
export const staticChecks: readonly Step[] = [
  { name: 'format and lint', command: ['biome', 'check', '--error-on-warnings', '.'] },
  { name: 'types', command: ['tsc'] },
  { name: 'unused code', command: ['knip', '--no-progress'] },
]
