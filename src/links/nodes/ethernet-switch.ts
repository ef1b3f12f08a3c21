import { type Static, Type } from 'typebox'
import type { SwitchPort } from '../dataplane/data-plane.ts'
import { bridgeNode } from './bridge-node.ts'
import { propertyChecker } from './check-properties.ts'
import { namedPorts, PortName, PortNumber, PortsMapping, refuseTwins } from './mapped-ports.ts'
import type { NodeKind } from './node-kind.ts'

/** Tag protocol identifiers: 802.1Q, 802.1ad, and two that came before it. */
const ethertypes = ['0x8100', '0x88A8', '0x9100', '0x9200']

const MappedSwitchPort = Type.Object(
  {
    name: PortName,
    port_number: PortNumber,
    type: Type.Enum(['access', 'dot1q', 'qinq']),
    vlan: Type.Integer({ minimum: 1, maximum: 4094 }),
    /** Of the outer tag of a qinq port. */
    ethertype: Type.Optional(Type.Enum(['', ...ethertypes])),
  },
  { additionalProperties: false },
)
type MappedSwitchPort = Static<typeof MappedSwitchPort>

const check = propertyChecker(
  Type.Object({ ports_mapping: PortsMapping(MappedSwitchPort) }, { additionalProperties: false }),
)

const defaults = { ports_mapping: accessPorts(8) }

/** Learns where stations are, and keeps VLANs apart. */
export const ethernetSwitch: NodeKind = {
  ...bridgeNode((ports) => ({ kind: 'switch', ports: (ports as readonly MappedSwitchPort[]).map(toSwitchPort) })),
  type: 'ethernet_switch',
  looks: {
    title: 'Ethernet switch',
    category: 'switch',
    symbol: ':/symbols/ethernet_switch.svg',
    width: 72,
    height: 32,
    port_name_format: 'Ethernet{0}',
    name_format: 'Switch{0}',
  },
  templateProperties: defaults,
  checkProperties(given) {
    const { ports_mapping } = check({ ...defaults, ...given })
    refuseTwins(ports_mapping)
    return { ports_mapping }
  },
}

function accessPorts(count: number): MappedSwitchPort[] {
  return namedPorts(count).map((port) => ({ ...port, type: 'access', vlan: 1 }))
}

function toSwitchPort({ port_number, type, vlan, ethertype }: MappedSwitchPort): SwitchPort {
  const isOuter = type === 'qinq' && ethertype !== undefined && ethertype !== ''
  return { number: port_number, type, vlan, ethertype: isOuter ? Number(ethertype) : 0x8100 }
}
