import type { Readable, Writable } from 'node:stream'
import type { Logger } from '../../platform/log.ts'
import type { PortSpec } from '../dataplane/data-plane.ts'
import type { NodeRow } from '../tables.ts'

/** A port as clients see it. */
export interface Port {
  readonly name: string
  readonly short_name: string
  readonly adapter_number: number
  readonly port_number: number
  readonly link_type: 'ethernet'
  readonly data_link_types: Readonly<Record<string, string>>
}

/** How a node of a kind looks as long as nobody says otherwise. */
export interface Looks {
  readonly symbol: string
  readonly width: number
  readonly height: number
  readonly port_name_format: string
  /** What new nodes are called: `PC1`, `PC2` and so on. */
  readonly name_format: string
}

export interface NodeConsole {
  readonly output: Readable
  readonly input: Writable
}

/** A node at work. */
export interface RunningNode {
  readonly console: NodeConsole | undefined
  /** Resolves, with the reason, when the node has ended, whether it was stopped or not. */
  readonly ended: Promise<string>
  /** Where the data plane finds a port of the node. */
  portSpec(adapterNumber: number, portNumber: number): PortSpec
  /** Ends everything that belongs to the node. */
  stop(): Promise<void>
}

export interface NodeStart {
  readonly node: NodeRow
  /** Of the node's own, made when it is missing. */
  readonly folder: string
  readonly logger: Logger
}

/** Everything the program knows of one kind of node; `node-kinds.ts` lists them. */
export interface NodeKind {
  readonly type: string
  readonly hasConsole: boolean
  readonly looks: Looks
  ports(node: Pick<NodeRow, 'properties'>): readonly Port[]
  /** @throws AppError `invalid` naming the property */
  checkProperties(properties: Readonly<Record<string, unknown>>): Record<string, unknown>
  /** What a new node must remember, given what the others of its kind in the project do. */
  newState(others: readonly Readonly<Record<string, unknown>>[]): Record<string, unknown>
  /** @throws AppError `conflict` that says what this machine lacks, or why the node did not start */
  start(options: NodeStart): Promise<RunningNode>
}

export function ethernetPort(adapterNumber: number, portNumber: number, index = portNumber): Port {
  return {
    name: `Ethernet${index}`,
    short_name: `e${index}`,
    adapter_number: adapterNumber,
    port_number: portNumber,
    link_type: 'ethernet',
    data_link_types: { Ethernet: 'DLT_EN10MB' },
  }
}
