import { readFile } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import { type Command, runProgram } from './program.ts'

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** A way to run PostgreSQL's programs, which refuse to run as root. */
export interface Launcher {
  readonly mode: 'plain' | 'namespace' | 'dropped'
  /** Whom the data and socket folders have to belong to. */
  readonly owner: Owner
  /** The programs' own major version, for example 18. */
  readonly major: string
  /** The command line under which the program gets `deathSignal` when we end, however we end. */
  wrap(program: Command, deathSignal: 'SIGINT' | 'SIGTERM'): Command
}

interface Candidate extends Omit<Launcher, 'major' | 'wrap'> {
  readonly prefix: readonly string[]
  readonly hasDeathSignal: boolean
}

export interface LauncherNeeds {
  readonly postgres: string
  /** A folder that the programs must be able to reach. */
  readonly reach: string
  readonly signal?: AbortSignal | undefined
}

/**
 * Tries the ways that this platform has, best first. As root that is a user namespace, in which root's own
 * files appear to belong to an ordinary user; where the kernel or a container forbids that, or where a folder
 * above is closed to root without its capabilities, another user who may read and search everything.
 */
export async function chooseLauncher(needs: LauncherNeeds): Promise<Launcher> {
  const failures: string[] = []
  for (const candidate of await candidates()) {
    const launcher = { ...candidate, wrap: wrapWith(candidate) }
    const { isOk, output } = await tryOut(launcher.wrap, needs)
    const major = /^(\d+)\d{4}$/m.exec(output)?.[1]
    if (isOk && major !== undefined) return { ...launcher, major }
    failures.push(`${candidate.mode}: ${output}`)
  }
  throw new AppError(
    'unavailable',
    `Cannot run the embedded database (${failures.join('; ')}); set BACKHAUL_DATABASE_URL to a PostgreSQL server`,
  )
}

/** Asks for its version in the one way that also makes it look for its own files. */
function tryOut(wrap: Launcher['wrap'], { postgres, reach, signal }: LauncherNeeds) {
  const script = 'cd -- "$1" && exec "$2" -C server_version_num -D "$1" -c config_file=/dev/null'
  return runProgram(wrap(['sh', '-c', script, 'sh', reach, postgres], 'SIGTERM'), signal)
}

function wrapWith({ prefix, hasDeathSignal }: Candidate): Launcher['wrap'] {
  return (program, deathSignal) => {
    // A change of credentials clears the death signal, so it is set by a second program after the change.
    const guard = hasDeathSignal ? ['setpriv', '--pdeathsig', deathSignal.slice(3), '--'] : []
    return [...prefix, ...guard, ...program] as unknown as Command
  }
}

async function candidates(): Promise<Candidate[]> {
  const self: Owner = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }
  const hasDeathSignal = process.platform === 'linux'
  const plain: Candidate = { mode: 'plain', owner: self, prefix: [], hasDeathSignal }
  if (self.uid !== 0) return hasDeathSignal ? [plain, { ...plain, hasDeathSignal: false }] : [plain]
  if (process.platform === 'linux') return rootCandidates(self)
  throw new AppError(
    'unavailable',
    'Cannot run the embedded database as root here; start Backhaul as another user or set BACKHAUL_DATABASE_URL',
  )
}

async function rootCandidates(self: Owner): Promise<Candidate[]> {
  const user = await findOrdinaryUser()
  const namespace = ['unshare', '--user', `--map-user=${user.uid}`, `--map-group=${user.gid}`, '--']
  const dropped = (capability?: string): Candidate => ({
    mode: 'dropped',
    owner: user,
    prefix: dropTo(user, capability),
    hasDeathSignal: true,
  })
  return [
    { mode: 'namespace', owner: self, prefix: namespace, hasDeathSignal: true },
    dropped('dac_read_search'),
    // Containers often lack that one. Then either every folder is open anyhow or root has only the stronger one.
    dropped(),
    dropped('dac_override'),
  ]
}

function dropTo(user: Owner, capability: string | undefined): string[] {
  const drop = ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups']
  if (capability === undefined) return [...drop, '--']
  // access(2), which PostgreSQL asks for its own files, counts no capability of an ordinary user without that bit.
  const keep = [`--inh-caps=+${capability}`, `--ambient-caps=+${capability}`, '--securebits=+no_setuid_fixup']
  return [...drop, ...keep, '--']
}

/** `initdb` needs a user with a name. The system's own PostgreSQL user is the one with the fewest other processes. */
async function findOrdinaryUser(): Promise<Owner> {
  const users = new Map<string, Owner>()
  for (const line of (await readFile('/etc/passwd', 'utf8')).split('\n')) {
    const [name = '', , uid = '', gid = ''] = line.split(':')
    if (/^\d+$/.test(uid) && /^\d+$/.test(gid) && uid !== '0') users.set(name, { uid: Number(uid), gid: Number(gid) })
  }
  const user = users.get('postgres') ?? users.get('nobody') ?? users.values().next().value
  if (user !== undefined) return user
  throw new AppError('unavailable', 'Cannot run the embedded database as root: /etc/passwd names no other user')
}
