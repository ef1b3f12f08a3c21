import { readdirSync } from 'node:fs'
import { isIP } from 'node:net'
import { type Static, Type } from 'typebox'
import { OptionalNullable } from '../../platform/http/schemas.ts'
import type { PortSpec } from '../dataplane/data-plane.ts'
import { propertyChecker } from './check-properties.ts'
import { mappedPorts, PortName, PortNumber, PortsMapping, refuseTwins } from './mapped-ports.ts'
import { ethernetPort, type NodeKind, neverEnds } from './node-kind.ts'

const UdpPort = Type.Integer({ minimum: 1, maximum: 65_535 })
/** As the kernel allows it: 15 characters, neither space nor slash. */
const InterfaceName = Type.String({ minLength: 1, maxLength: 15, pattern: '^(?!\\.{1,2}$)[!-.0-~]+$' })
const place = { name: PortName, port_number: PortNumber }

const CloudPort = Type.Union([
  Type.Object(
    {
      ...place,
      type: Type.Literal('udp'),
      lport: UdpPort,
      rhost: Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9.:_-]+$' }),
      rport: UdpPort,
    },
    { additionalProperties: false },
  ),
  Type.Object(
    { ...place, type: Type.Enum(['tap', 'ethernet']), interface: InterfaceName },
    { additionalProperties: false },
  ),
])
type CloudPort = Static<typeof CloudPort>

const check = propertyChecker(
  Type.Object(
    {
      ports_mapping: PortsMapping(CloudPort),
      /** What clients send back of what they were shown. */
      interfaces: Type.Optional(Type.Unknown()),
      remote_console_host: OptionalNullable(Type.String({ maxLength: 255 })),
      remote_console_port: OptionalNullable(UdpPort),
      remote_console_type: OptionalNullable(Type.Enum(['telnet', 'vnc', 'spice', 'http', 'https', 'none'])),
      remote_console_http_path: OptionalNullable(Type.String({ maxLength: 1000 })),
    },
    { additionalProperties: false },
  ),
)

const defaults = {
  ports_mapping: [],
  remote_console_host: '',
  remote_console_http_path: '/',
  remote_console_port: 23,
  remote_console_type: 'none',
}

/** Joins a lab to what is outside it: emulators by UDP, TAP devices and interfaces of this machine. */
export const cloud: NodeKind = {
  type: 'cloud',
  hasConsole: false,
  isAlwaysOn: true,
  isBridge: false,
  isOutside: true,
  looks: {
    title: 'Cloud',
    category: 'guest',
    symbol: ':/symbols/cloud.svg',
    width: 159,
    height: 71,
    port_name_format: 'Ethernet{0}',
    name_format: 'Cloud{0}',
  },
  templateProperties: defaults,
  neededRight: (properties) => (portsOf(properties).some(({ type }) => type !== 'udp') ? 'labs.host' : undefined),
  ports: (node) =>
    mappedPorts(node).map(({ name, port_number: port }) => ethernetPort({ adapter: 0, port, name, shortName: name })),
  checkProperties(given) {
    const { interfaces: _shown, ...checked } = check({ ...defaults, ...given })
    refuseTwins(checked.ports_mapping)
    return checked
  },
  presentProperties: (properties) => ({ ...properties, interfaces: hostInterfaces() }),
  newState: () => ({}),
  start: async ({ node }) => {
    let { properties } = node
    return {
      ended: neverEnds,
      portSpec: (_adapter, port) =>
        specOf(portsOf(properties).find(({ port_number }) => port_number === port) as CloudPort),
      update: async (changed) => {
        properties = changed.properties
      },
      stop: async () => undefined,
    }
  },
}

function portsOf(properties: Readonly<Record<string, unknown>>): readonly CloudPort[] {
  return (properties['ports_mapping'] ?? []) as readonly CloudPort[]
}

function specOf(port: CloudPort): PortSpec {
  switch (port.type) {
    case 'udp':
      return {
        kind: 'udp',
        local: { host: localHostFor(port.rhost), port: port.lport },
        peer: { host: port.rhost, port: port.rport },
      }
    case 'tap':
      return { kind: 'tap', name: port.interface }
    case 'ethernet':
      return { kind: 'interface', name: port.interface }
  }
}

/** What talks to this machine alone is not offered to others. */
function localHostFor(peerHost: string): string {
  if (isIP(peerHost) === 6) return peerHost === '::1' ? '::1' : '::'
  return peerHost === 'localhost' || peerHost.startsWith('127.') ? '127.0.0.1' : '0.0.0.0'
}

function hostInterfaces(): object[] {
  try {
    return readdirSync('/sys/class/net').map((name) => ({ name, special: name === 'lo', type: 'ethernet' }))
  } catch {
    return []
  }
}
