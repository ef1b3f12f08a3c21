import type { BridgeSpec } from '../dataplane/data-plane.ts'
import type { NodeRow } from '../tables.ts'
import { type MappedPort, mappedPorts } from './mapped-ports.ts'
import { ethernetPort, type NodeKind, neverEnds } from './node-kind.ts'

/** What switches and hubs have in common: they live in the data plane, and whoever may use the project may use them. */
export function bridgeNode(
  specOf: (ports: readonly MappedPort[]) => BridgeSpec,
): Pick<
  NodeKind,
  'hasConsole' | 'isAlwaysOn' | 'isBridge' | 'isOutside' | 'neededRight' | 'ports' | 'newState' | 'start'
> {
  return {
    hasConsole: false,
    isAlwaysOn: true,
    isBridge: true,
    isOutside: false,
    neededRight: () => undefined,
    ports: (node) =>
      mappedPorts(node).map(({ name, port_number: port }) =>
        ethernetPort({ adapter: 0, port, name, shortName: `e${port}` }),
      ),
    newState: () => ({}),
    async start({ node, dataPlane }) {
      const configure = (row: NodeRow) => dataPlane.openBridge(row.id, specOf(mappedPorts(row)), row.project_id)
      await configure(node)
      return {
        ended: neverEnds,
        portSpec: (_adapter, port) => ({ kind: 'bridge', bridgeId: node.id, port }),
        update: configure,
        stop: () => dataPlane.closeBridge(node.id),
      }
    },
  }
}
