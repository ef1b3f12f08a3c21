import type { ProjectFolders } from '../projects/project-folder.ts'
import type { NodeRow } from '../tables.ts'
import type { NodeKind } from './node-kind.ts'
import { consoleHost } from './running-nodes.ts'

export interface PresentedNode {
  readonly node: NodeRow
  readonly kind: NodeKind
  readonly isRunning: boolean
  readonly folders: ProjectFolders
}

/** The 27 keys of GNS3's node object, in its vocabulary. */
export function presentNode({ node, kind, isRunning, folders }: PresentedNode): object {
  const { x = 0, y = 0, z = 1, label, ...chosen } = node.appearance
  const { symbol, width, height, port_name_format } = kind.looks
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
    console_type: kind.hasConsole ? 'telnet' : 'none',
    console_auto_start: false,
    command_line: '',
    properties: node.properties,
    status: isRunning ? 'started' : 'stopped',
    label: label ?? { text: node.name, style: null, x: null, y: -40, rotation: 0 },
    x,
    y,
    z,
    locked: false,
    width,
    height,
    symbol,
    port_name_format,
    port_segment_size: 0,
    first_port_name: null,
    custom_adapters: [],
    ports: kind.ports(node),
    ...withoutNulls(chosen),
  }
}

function withoutNulls(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
}
