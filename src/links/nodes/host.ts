import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { AppError } from '../../platform/errors.ts'
import type { NodeRow } from '../tables.ts'
import { configureNetwork, type NetworkPlan } from './host-network.ts'
import { checkHostProperties, defaultHostProperties, type HostProperties } from './host-properties.ts'
import { refuseMissing } from './needed-programs.ts'
import { ethernetPort, type NodeKind, type NodeStart, type RunningNode } from './node-kind.ts'
import { signalTree } from './process-tree.ts'
import { type CommandRequest, runInside } from './run-inside.ts'
import { canOwnNetwork, giveFolder, type Sandbox } from './sandbox.ts'
import { type SandboxedProcess, startSandboxed } from './sandboxed-process.ts'

/** A Linux host: this machine's kernel and programs in a network of its own. */
export const host: NodeKind = {
  type: 'host',
  hasConsole: true,
  isAlwaysOn: false,
  isBridge: false,
  isOutside: false,
  looks: {
    title: 'Host',
    category: 'guest',
    symbol: ':/symbols/computer.svg',
    width: 65,
    height: 59,
    port_name_format: 'eth{0}',
    name_format: 'Host{0}',
  },
  templateProperties: defaultHostProperties,
  neededRight: () => 'labs.host',
  ports: ({ properties }) =>
    Array.from({ length: (properties as HostProperties).adapters }, (_, adapter) =>
      ethernetPort({ adapter, port: 0, name: `eth${adapter}`, shortName: `eth${adapter}` }),
    ),
  checkProperties: checkHostProperties,
  newState: () => ({}),
  start: startHost,
}

const packages = new Map([
  ['bwrap', 'bubblewrap'],
  ['ip', 'iproute2'],
  ['nsenter', 'util-linux'],
  ['unshare', 'util-linux'],
  ['script', 'bsdutils'],
  ['bash', 'bash'],
])

/** A shell that somebody leaves is followed by a new one, as on a machine's own terminal. */
const shell = 'while :; do bash --noprofile --norc -i; done'

async function startHost({ node, folder, hidden }: NodeStart): Promise<RunningNode> {
  if (!canOwnNetwork())
    throw new AppError('conflict', `Cannot start ${node.name}: a host needs a server that runs as root`)
  await refuseMissing(node.name, packages)
  const hostName = node.name.replaceAll(/[^A-Za-z0-9-]/g, '-').slice(0, 60)
  const sandbox: Sandbox = { folder, number: node.console_port ?? 0, network: 'governed', hostName, hidden }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await giveFolder(sandbox)
  const program = await startSandboxed(node.name, sandbox, shell)
  try {
    await configureNetwork(program.programPid, planOf(node))
    await runStartup(program, node)
  } catch (error) {
    program.kill()
    await program.ended
    throw error
  }
  return runningHost(program)
}

function runningHost(program: SandboxedProcess): RunningNode {
  return {
    console: program.console,
    ended: program.ended,
    portSpec: (adapter) => ({
      kind: 'tap',
      namespace: `/proc/${program.programPid}/ns/net`,
      name: `eth${adapter}`,
    }),
    pause: (isPaused) => signalTree(program.pid, isPaused ? 'SIGSTOP' : 'SIGCONT'),
    run: (request: CommandRequest) => runInside(program.programPid, request),
    stop: async () => {
      program.kill()
      await program.ended
    },
  }
}

function planOf({ id, properties }: NodeRow): NetworkPlan {
  const { adapters, interfaces, routes } = properties as HostProperties
  return {
    interfaces: Array.from({ length: adapters }, (_, adapter) => {
      const name = `eth${adapter}`
      const given = interfaces.find((each) => each.name === name)
      return {
        name,
        macAddress: given?.mac_address ?? macAddress(id, adapter),
        mtuBytes: given?.mtu ?? 1500,
        addresses: given?.addresses ?? [],
      }
    }),
    routes,
  }
}

/** A locally administered address (IEEE 802, clause 8.2) that the node keeps. */
function macAddress(nodeId: string, adapter: number): string {
  const [a, b, c, d] = createHash('sha256').update(nodeId).digest().subarray(0, 4).map(Number)
  return [0x02, a, b, c, d, adapter].map((byte) => Number(byte).toString(16).padStart(2, '0')).join(':')
}

const startupMs = 30_000

async function runStartup(program: SandboxedProcess, { name, properties }: NodeRow): Promise<void> {
  for (const text of (properties as HostProperties).startup_commands) {
    const result = await runInside(program.programPid, { command: ['sh', '-c', text], timeoutMs: startupMs })
    if (result.exitCode === 0) continue
    const reason = result.isTimedOut ? `it took longer than ${startupMs / 1000} s` : result.stderr.trim().slice(0, 500)
    throw new AppError('conflict', `Cannot start ${name}: its start-up command "${text}" failed: ${reason}`)
  }
}
