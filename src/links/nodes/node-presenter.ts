import type { ProjectFolders } from '../projects/project-folder.ts'
import { sizeOfSymbol } from '../symbols/default-symbols.ts'
import type { NodeRow } from '../tables.ts'
import { withoutNulls } from './check-properties.ts'
import { consoleHost } from './console-ports.ts'
import type { NodeKind } from './node-kind.ts'
import type { NodeStatus } from './running-nodes.ts'

export interface PresentedNode {
  readonly node: NodeRow
  readonly kind: NodeKind
  readonly status: NodeStatus
  readonly folders: ProjectFolders
}

/** The 27 keys of GNS3's node object, in its vocabulary. */
export function presentNode({ node, kind, status, folders }: PresentedNode): object {
  return {
    compute_id: 'local',
    project_id: node.project_id,
    node_id: node.id,
    template_id: null,
    node_type: node.node_type,
    node_directory: folders.node(node),
    name: node.name,
    console: node.console_port,
    console_host: consoleHost,
    console_type: kind.hasConsole ? 'telnet' : null,
    command_line: kind.hasConsole ? '' : null,
    properties: kind.presentProperties?.(node.properties) ?? node.properties,
    status,
    port_name_format: kind.looks.port_name_format,
    port_segment_size: 0,
    first_port_name: null,
    custom_adapters: [],
    ports: kind.ports(node),
    ...looksOf(node, kind),
  }
}

/** How a node with that symbol looks as long as nobody says otherwise. */
export function defaultLooks(name: string, { looks }: NodeKind, symbol: unknown = null): Record<string, unknown> {
  const { width, height } = sizeOfSymbol(symbol) ?? looks
  const label = { text: name, style: null, x: null, y: -40, rotation: 0 }
  return { x: 0, y: 0, z: 1, label, locked: false, console_auto_start: false, width, height, symbol: looks.symbol }
}

/** How a node looks: as was said, and otherwise as those of its kind. */
export function looksOf(node: NodeRow, kind: NodeKind): Record<string, unknown> {
  return { ...defaultLooks(node.name, kind, node.appearance['symbol']), ...withoutNulls(node.appearance) }
}
