import type { Readable, Writable } from 'node:stream'
import type { GlobalRight } from '../../platform/auth/actor.ts'
import type { Logger } from '../../platform/log.ts'
import type { DataPlane, PortSpec } from '../dataplane/data-plane.ts'
import type { NodeRow } from '../tables.ts'
import type { CommandRequest, CommandResult } from './run-inside.ts'

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
  /** What people call the kind, and where clients list it. */
  readonly title: string
  readonly category: 'guest' | 'switch' | 'router' | 'firewall'
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

/** A node at work. What only some kinds can do, the others leave out. */
export interface RunningNode {
  readonly console?: NodeConsole
  /** Resolves, with the reason, when the node has ended, whether it was stopped or not. */
  readonly ended: Promise<string>
  /** Where the data plane finds a port of the node. */
  portSpec(adapterNumber: number, portNumber: number): PortSpec
  /** Ends everything that belongs to the node. */
  stop(): Promise<void>
  /** Halts its programs where they are, and lets them go on. */
  pause?(isPaused: boolean): Promise<void>
  /** Takes up new properties while at work. */
  update?(node: NodeRow): Promise<void>
  run?(request: CommandRequest): Promise<CommandResult>
}

export interface NodeStart {
  readonly node: NodeRow
  /** Of the node's own, made when it is missing. */
  readonly folder: string
  /** Folders of the server that no node may see. */
  readonly hidden: readonly string[]
  readonly dataPlane: DataPlane
  readonly logger: Logger
}

/** Everything the program knows of one kind of node; `node-kinds.ts` lists them. */
export interface NodeKind {
  readonly type: string
  readonly hasConsole: boolean
  /** At work whenever its project is open, from its creation on: there is nothing to start or stop. */
  readonly isAlwaysOn: boolean
  /** Joins its ports with each other in the data plane, so that all its links must be carried by one thread. */
  readonly isBridge: boolean
  /** Stands for what is outside the lab: two of them are not joined, because what is outside is joined already. */
  readonly isOutside: boolean
  readonly looks: Looks
  /** The properties that templates can have, with what they are when nobody says otherwise; empty text means the kind's own. */
  readonly templateProperties: Readonly<Record<string, unknown>>
  /** What its makers and users must be allowed to do beyond using the project. */
  neededRight(properties: Readonly<Record<string, unknown>>): GlobalRight | undefined
  ports(node: Pick<NodeRow, 'properties'>): readonly Port[]
  /**
   * Gives what is kept of given properties, defaults included.
   *
   * @throws AppError `invalid` naming the property
   */
  checkProperties(properties: Readonly<Record<string, unknown>>): Record<string, unknown>
  /** What clients are shown; the properties themselves when left out. */
  presentProperties?(properties: Readonly<Record<string, unknown>>): Record<string, unknown>
  /** What a new node must remember, given what the others of its kind in the project do. */
  newState(others: readonly Readonly<Record<string, unknown>>[]): Record<string, unknown>
  /** @throws AppError `conflict` that says what this machine lacks, or why the node did not start */
  start(options: NodeStart): Promise<RunningNode>
}

export interface PortPlace {
  readonly adapter: number
  readonly port: number
  readonly name: string
  readonly shortName: string
}

export function ethernetPort({ adapter, port, name, shortName }: PortPlace): Port {
  return {
    name,
    short_name: shortName,
    adapter_number: adapter,
    port_number: port,
    link_type: 'ethernet',
    data_link_types: { Ethernet: 'DLT_EN10MB' },
  }
}

/** A node that has not ended and does not end by itself: it is no process. */
export const neverEnds = new Promise<never>(() => undefined)
