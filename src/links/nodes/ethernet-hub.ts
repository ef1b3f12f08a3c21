import { Type } from 'typebox'
import { bridgeNode } from './bridge-node.ts'
import { propertyChecker } from './check-properties.ts'
import { namedPorts, PortName, PortNumber, PortsMapping, refuseTwins } from './mapped-ports.ts'
import type { NodeKind } from './node-kind.ts'

const Properties = Type.Object(
  {
    ports_mapping: PortsMapping(
      Type.Object({ name: PortName, port_number: PortNumber }, { additionalProperties: false }),
    ),
  },
  { additionalProperties: false },
)
const check = propertyChecker(Properties)

const defaults = { ports_mapping: namedPorts(8) }

/** Repeats what comes in at one port at all others. */
export const ethernetHub: NodeKind = {
  ...bridgeNode((ports) => ({ kind: 'hub', ports: ports.map(({ port_number }) => port_number) })),
  type: 'ethernet_hub',
  looks: {
    title: 'Ethernet hub',
    category: 'switch',
    symbol: ':/symbols/hub.svg',
    width: 72,
    height: 32,
    port_name_format: 'Ethernet{0}',
    name_format: 'Hub{0}',
  },
  templateProperties: defaults,
  checkProperties(given) {
    const { ports_mapping } = check({ ...defaults, ...given })
    refuseTwins(ports_mapping)
    return { ports_mapping }
  },
}
