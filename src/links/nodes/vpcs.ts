import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, invalidField } from '../../platform/errors.ts'
import type { PortSpec } from '../dataplane/data-plane.ts'
import { ethernetPort, type NodeKind, type NodeStart, type RunningNode } from './node-kind.ts'
import { canOwnNetwork, giveFolder, missingPrograms, type Sandbox } from './sandbox.ts'
import { startSandboxed } from './sandboxed-process.ts'

/** The Virtual PC Simulator: a small IPv4 and IPv6 host with ping, trace and a console. */
export const vpcs: NodeKind = {
  type: 'vpcs',
  hasConsole: true,
  looks: {
    symbol: ':/symbols/vpcs_guest.svg',
    width: 65,
    height: 59,
    port_name_format: 'Ethernet{0}',
    name_format: 'PC{0}',
  },
  ports: () => [ethernetPort(0, 0)],
  checkProperties,
  newState: (others) => ({ macByte: freeMacByte(others.map(({ macByte }) => Number(macByte))) }),
  start: startVpcs,
}

const maxScriptCharacters = 64 * 1024

function checkProperties(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { startup_script: script = null, ...others } = properties
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalidField(`properties.${unknown}`, 'is not known here')
  if (script === null) return {}
  if (typeof script !== 'string') throw invalidField('properties.startup_script', 'must be a string')
  if (script.length > maxScriptCharacters) throw invalidField('properties.startup_script', 'is too long')
  return { startup_script: script }
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
  await refuseMissing(node.name)
  const ownsNetwork = canOwnNetwork()
  const sandbox: Sandbox = { folder, number: node.console_port ?? 0, ownsNetwork }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(join(folder, 'startup.vpc'), startupScript(node.name, node.properties))
  await giveFolder(sandbox)
  const ports = ownsNetwork ? { own: 20_000, peer: 30_000 } : await freePorts()
  const command = `exec vpcs -i 1 -m ${Number(node.kind_state['macByte'])} -s ${ports.own} -c ${ports.peer} -t 127.0.0.1 startup.vpc`
  const program = await startSandboxed(node.name, sandbox, command)
  return {
    console: program.console,
    ended: program.ended,
    portSpec: () => portSpec(ports, ownsNetwork ? program.pid : undefined),
    stop: async () => {
      program.kill()
      await program.ended
    },
  }
}

async function refuseMissing(name: string): Promise<void> {
  const missing = await missingPrograms([...packages.keys()])
  if (missing.length === 0) return
  const wanted = missing.map((program) => packages.get(program)).join(' and ')
  throw new AppError(
    'conflict',
    `Cannot start ${name}: ${missing.join(' and ')} is not installed (Debian package ${wanted})`,
  )
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
