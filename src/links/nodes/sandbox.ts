import { access, chown } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

export interface Sandbox {
  /** The node's folder on this machine; the program finds it as `/node` and starts there. */
  readonly folder: string
  /** A number that no other node of this machine has, from which the program's own user is made. */
  readonly number: number
  /** Whether the program gets a network namespace of its own, with nothing but a loopback interface. */
  readonly ownsNetwork: boolean
}

/** Beyond every user, group and container range that systems hand out. */
const firstUserId = 1_879_048_192

const programs = '/usr/bin:/usr/sbin'

/** The user that a node's program runs as when the server is root. */
function sandboxUserId(number: number): number {
  return firstUserId + number
}

/** Gives a node's folder to the user that its program runs as. */
export async function giveFolder({ folder, number }: Sandbox): Promise<void> {
  if (isRoot()) await chown(folder, sandboxUserId(number), sandboxUserId(number))
}

/**
 * The command that runs a program where it can do no harm: emulators let whoever holds their console run commands. It sees
 * `/usr` read-only, its own folder and nothing else of this machine, has processes, mounts and host name of its own, no
 * capability, a user of its own, and bounds on processes and open files. It dies with the server, and everything it started
 * dies with it. `bwrap(1)` tells the process id of the program's namespaces on descriptor 3.
 */
export function sandboxCommand(
  { folder, number, ownsNetwork }: Sandbox,
  command: readonly string[],
): [program: string, ...args: string[]] {
  return [
    'bwrap',
    ...[
      '--unshare-pid',
      '--unshare-ipc',
      '--unshare-uts',
      '--unshare-cgroup-try',
      '--die-with-parent',
      '--new-session',
    ],
    ...(isRoot()
      ? ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID', '--cap-add', 'CAP_SETPCAP']
      : ['--unshare-user']),
    ...(ownsNetwork ? ['--unshare-net'] : []),
    ...['--clearenv', '--setenv', 'PATH', programs, '--setenv', 'TERM', 'vt100', '--setenv', 'HOME', '/node'],
    ...['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--symlink', 'usr/sbin', '/sbin'],
    ...[
      '--symlink',
      'usr/lib',
      '/lib',
      '--symlink',
      'usr/lib64',
      '/lib64',
      '--ro-bind-try',
      '/etc/ld.so.cache',
      '/etc/ld.so.cache',
    ],
    ...['--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--bind', folder, '/node', '--info-fd', '3', '--'],
    ...['prlimit', '--nproc=64', '--nofile=256', '--core=0', '--'],
    ...(isRoot() ? dropUser(sandboxUserId(number)) : []),
    ...['env', '-C', '/node', ...command],
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
