import { access, lchown, lstat, readdir } from 'node:fs/promises'
import { delimiter, join, sep } from 'node:path'

export interface Sandbox {
  /** The node's folder on this machine; the program finds it as `/node` and starts there. */
  readonly folder: string
  /** A number that no other node of this machine has, from which the program's own user is made. */
  readonly number: number
  /**
   * `shared`: the network of this machine. `own`: a network namespace with nothing but a loopback interface. `governed`:
   * such a namespace, in which the program is root and may do as it likes; outside it has no more rights than the others.
   */
  readonly network: 'shared' | 'own' | 'governed'
  /** What `hostname` says inside. */
  readonly hostName?: string
  /** Folders of this machine that the program must not find, wherever they are. */
  readonly hidden?: readonly string[]
}

/** Beyond every user, group and container range that systems hand out. */
const firstUserId = 1_879_048_192

const programs = '/usr/bin:/usr/sbin'

/** What every program in a sandbox finds in its environment, and nothing else. */
export const sandboxEnvironment = { PATH: programs, TERM: 'vt100', HOME: '/node' } as const

/** The user that a node's program runs as when the server is root. */
function sandboxUserId(number: number): number {
  return firstUserId + number
}

/**
 * Gives a node's folder to the user that its program runs as, with all there is: files may have come from another node,
 * or from the time when it had another number. Nothing may run that writes there.
 */
export async function giveFolder({ folder, number }: Sandbox): Promise<void> {
  if (isRoot()) await give(folder, sandboxUserId(number))
}

async function give(path: string, userId: number): Promise<void> {
  const found = await lstat(path)
  if (found.uid !== userId) await lchown(path, userId, userId)
  if (!found.isDirectory()) return
  for (const name of await readdir(path)) await give(join(path, name), userId)
}

/**
 * The command that runs a program where it can do no harm: emulators let whoever holds their console run commands. It sees
 * the system's programs read-only, its own folder and nothing else of this machine, has processes, mounts and host name of
 * its own, no capability, a user of its own, and bounds on processes, open files, memory and processor time. It dies with
 * the server, and everything it started dies with it. `bwrap(1)` tells the process id of the program's namespaces on
 * descriptor 3.
 */
export function sandboxCommand(sandbox: Sandbox, command: readonly string[]): [program: string, ...args: string[]] {
  const { number, network } = sandbox
  return [
    'bwrap',
    ...namespaces(sandbox),
    ...(isRoot() ? keepCapabilities('SETUID', 'SETGID', 'SETPCAP') : ['--unshare-user']),
    ...['--clearenv', ...Object.entries(sandboxEnvironment).flatMap(([name, value]) => ['--setenv', name, value])],
    ...files(sandbox),
    ...['--info-fd', '3', '--'],
    ...limits(network),
    ...(isRoot() ? dropUser(sandboxUserId(number)) : []),
    ...(network === 'governed' ? ['unshare', '--user', '--map-root-user', '--net', '--'] : []),
    ...['env', '-C', '/node', ...command],
  ]
}

function namespaces({ network, hostName }: Sandbox): string[] {
  return [
    ...[
      '--unshare-pid',
      '--unshare-ipc',
      '--unshare-uts',
      '--unshare-cgroup-try',
      '--die-with-parent',
      '--new-session',
    ],
    ...(network === 'own' ? ['--unshare-net'] : []),
    ...(hostName === undefined ? [] : ['--hostname', hostName]),
  ]
}

/** Until the program's own user has been taken on. */
function keepCapabilities(...names: readonly string[]): string[] {
  return ['--cap-drop', 'ALL', ...names.flatMap((name) => ['--cap-add', `CAP_${name}`])]
}

function files({ folder, network, hidden = [] }: Sandbox): string[] {
  const links = ['bin', 'sbin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`])
  const readable = network === 'governed' ? ['/usr', '/etc', '/opt'] : ['/usr', '/etc/ld.so.cache']
  const scratch = network === 'governed' ? ['/tmp', '/run', '/var'] : ['/tmp']
  const masked = hidden.filter((path) => readable.some((parent) => path === parent || path.startsWith(parent + sep)))
  return [
    ...readable.flatMap((path) => ['--ro-bind-try', path, path]),
    ...masked.flatMap((path) => ['--tmpfs', path]),
    ...links,
    ...['--dev', '/dev', '--proc', '/proc'],
    ...scratch.flatMap((path) => ['--perms', '1777', '--tmpfs', path]),
    ...['--bind', folder, '/node'],
  ]
}

/** What every process of a sandbox is bound to; those of a host are more and bigger. */
export function limits(network: Sandbox['network']): string[] {
  const [processes, openFiles] = network === 'governed' ? [512, 4096] : [64, 256]
  return [
    'prlimit',
    `--nproc=${processes}`,
    `--nofile=${openFiles}`,
    `--as=${4 * 1024 ** 3}`,
    '--cpu=3600',
    '--core=0',
    '--',
  ]
}

function dropUser(id: number): string[] {
  return [
    'setpriv',
    `--reuid=${id}`,
    `--regid=${id}`,
    '--clear-groups',
    '--no-new-privs',
    '--inh-caps=-all',
    '--bounding-set=-all',
    '--',
  ]
}

/** Only root can carry frames out of a network namespace. */
export function canOwnNetwork(): boolean {
  return isRoot()
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** Those of the programs that a sandbox would not find. */
export async function missingPrograms(names: readonly string[]): Promise<string[]> {
  const found = await Promise.all(names.map(isInstalled))
  return names.filter((_, index) => found[index] === false)
}

async function isInstalled(name: string): Promise<boolean> {
  const places = programs.split(delimiter).map((folder) => join(folder, name))
  const results = await Promise.allSettled(places.map((path) => access(path)))
  return results.some(({ status }) => status === 'fulfilled')
}
