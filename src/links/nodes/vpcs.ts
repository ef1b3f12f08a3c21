import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from 'typebox'
import { AppError } from '../../platform/errors.ts'
import { OptionalNullable } from '../../platform/http/schemas.ts'
import type { PortSpec } from '../dataplane/data-plane.ts'
import { writeWhole } from '../files/write-whole.ts'
import { propertyChecker, withoutNulls } from './check-properties.ts'
import { refuseMissing } from './needed-programs.ts'
import { ethernetPort, type NodeKind, type NodeStart, type RunningNode } from './node-kind.ts'
import { signalTree } from './process-tree.ts'
import { canOwnNetwork, giveFolder, type Sandbox } from './sandbox.ts'
import { startSandboxed } from './sandboxed-process.ts'

const check = propertyChecker(
  Type.Object(
    {
      startup_script: OptionalNullable(Type.String({ maxLength: 64 * 1024 })),
      base_script_file: OptionalNullable(Type.String({ maxLength: 1000 })),
    },
    { additionalProperties: false },
  ),
)

/** The Virtual PC Simulator: a small IPv4 and IPv6 host with ping, trace and a console. */
export const vpcs: NodeKind = {
  type: 'vpcs',
  hasConsole: true,
  isAlwaysOn: false,
  isBridge: false,
  isOutside: false,
  looks: {
    title: 'VPCS',
    category: 'guest',
    symbol: ':/symbols/vpcs_guest.svg',
    width: 65,
    height: 59,
    port_name_format: 'Ethernet{0}',
    name_format: 'PC{0}',
  },
  templateProperties: { base_script_file: '', startup_script: '' },
  neededRight: () => undefined,
  ports: () => [ethernetPort({ adapter: 0, port: 0, name: 'Ethernet0', shortName: 'e0' })],
  checkProperties: (properties) => withoutNulls(check(properties)),
  newState: (others) => ({ macByte: freeMacByte(others.map(({ macByte }) => Number(macByte))) }),
  start: startVpcs,
}

/** vpcs sets only the last byte of its MAC address: a project has room for 256. */
function freeMacByte(taken: readonly number[]): number {
  for (let byte = 0; byte < 256; byte += 1) {
    if (!taken.includes(byte)) return byte
  }
  throw new AppError('conflict', 'Cannot add a vpcs node: a project holds 256 of them at most')
}

interface Ports {
  readonly own: number
  readonly peer: number
}

const packages = new Map([
  ['vpcs', 'vpcs'],
  ['bwrap', 'bubblewrap'],
])

async function startVpcs({ node, folder }: NodeStart): Promise<RunningNode> {
  await refuseMissing(node.name, packages)
  const ownsNetwork = canOwnNetwork()
  const sandbox: Sandbox = { folder, number: node.console_port ?? 0, network: ownsNetwork ? 'own' : 'shared' }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeWhole(join(folder, 'startup.vpc'), startupScript(node.name, node.properties))
  await giveFolder(sandbox)
  const ports = ownsNetwork ? { own: 20_000, peer: 30_000 } : await freePorts()
  const command = `exec vpcs -i 1 -m ${Number(node.kind_state['macByte'])} -s ${ports.own} -c ${ports.peer} -t 127.0.0.1 startup.vpc`
  const program = await startSandboxed(node.name, sandbox, command)
  return {
    console: program.console,
    ended: program.ended,
    portSpec: () => portSpec(ports, ownsNetwork ? program.pid : undefined),
    pause: (isPaused) => signalTree(program.pid, isPaused ? 'SIGSTOP' : 'SIGCONT'),
    stop: async () => {
      program.kill()
      await program.ended
    },
  }
}

function startupScript(name: string, properties: Readonly<Record<string, unknown>>): string {
  const { startup_script: script } = properties
  return typeof script === 'string' ? script : `set pcname ${name.replaceAll(/[^\w.-]/g, '_')}\n`
}

/** Where vpcs shares the network of this machine, it takes its port and the one nine further. */
async function freePorts(): Promise<Ports> {
  return { own: await freeUdpPort(), peer: await freeUdpPort() }
}

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  socket.close()
  return port
}

function portSpec({ own, peer }: Ports, pid: number | undefined): PortSpec {
  return {
    kind: 'udp',
    local: { host: '127.0.0.1', port: peer },
    peer: { host: '127.0.0.1', port: own },
    ...(pid === undefined ? {} : { namespace: `/proc/${pid}/ns/net` }),
  }
}
