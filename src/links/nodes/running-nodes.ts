import { AppError, messageOf } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { TelnetConsole } from '../console/telnet-console.ts'
import type { DataPlane } from '../dataplane/data-plane.ts'
import type { ProjectFolders } from '../projects/project-folder.ts'
import type { NodeRow } from '../tables.ts'
import { consoleHost } from './console-ports.ts'
import type { NodeKind, RunningNode } from './node-kind.ts'

export interface RunningNodesOptions {
  readonly kinds: ReadonlyMap<string, NodeKind>
  readonly folders: ProjectFolders
  /** Folders of the server that no node may see. */
  readonly hidden: readonly string[]
  readonly dataPlane: DataPlane
  readonly logger: Logger
  /** Told when a node has ended that nobody stopped. */
  readonly onEnded: (node: NodeRow, reason: string) => void
}

/** In the words of the interface. */
export type NodeStatus = 'started' | 'stopped' | 'suspended'

interface Entry {
  node: NodeRow
  readonly running: RunningNode
  readonly console: TelnetConsole | undefined
  isStopping: boolean
  isSuspended: boolean
}

/** The nodes that are at work on this machine. */
export class RunningNodes {
  readonly #options: RunningNodesOptions
  readonly #entries = new Map<string, Entry>()

  constructor(options: RunningNodesOptions) {
    this.#options = options
  }

  find(nodeId: string): RunningNode | undefined {
    return this.#entries.get(nodeId)?.running
  }

  status(nodeId: string): NodeStatus {
    const entry = this.#entries.get(nodeId)
    if (entry === undefined) return 'stopped'
    return entry.isSuspended ? 'suspended' : 'started'
  }

  console(nodeId: string): TelnetConsole | undefined {
    return this.#entries.get(nodeId)?.console
  }

  /** The node when it takes frames and gives them. */
  findActive(nodeId: string): RunningNode | undefined {
    return this.status(nodeId) === 'started' ? this.find(nodeId) : undefined
  }

  ofProject(projectId: string): string[] {
    return [...this.#entries.values()].filter(({ node }) => node.project_id === projectId).map(({ node }) => node.id)
  }

  all(): string[] {
    return [...this.#entries.keys()]
  }

  /** @throws AppError `conflict` that says why the node cannot start; nothing of it is left then */
  async start(node: NodeRow): Promise<RunningNode> {
    const kind = this.#options.kinds.get(node.node_type) as NodeKind
    const { folders, logger, hidden, dataPlane } = this.#options
    const running = await kind
      .start({ node, folder: folders.node(node), logger, hidden, dataPlane })
      .catch((error) => Promise.reject(asRefusal(node, error)))
    const console = await this.#openConsole(node, running)
    const entry: Entry = { node, running, console, isStopping: false, isSuspended: false }
    this.#entries.set(node.id, entry)
    running.ended.then((reason) => this.#noteEnd(entry, reason))
    return running
  }

  /** Halts a node where it is, or lets it go on. Nodes without programs go on as they are. */
  async suspend(nodeId: string, isSuspended: boolean): Promise<void> {
    const entry = this.#entries.get(nodeId)
    if (entry?.running.pause === undefined || entry.isSuspended === isSuspended) return
    await entry.running.pause(isSuspended)
    entry.isSuspended = isSuspended
  }

  /** Lets a node know what it is now; what it reads only at its start waits for that. */
  async update(node: NodeRow): Promise<void> {
    const entry = this.#entries.get(node.id)
    if (entry === undefined) return
    entry.node = node
    await entry.running.update?.(node)
  }

  async stop(nodeId: string): Promise<void> {
    const entry = this.#entries.get(nodeId)
    if (entry === undefined) return
    entry.isStopping = true
    await entry.running.stop()
    await entry.console?.[Symbol.asyncDispose]()
    this.#entries.delete(nodeId)
  }

  /** A console that cannot be opened costs the console, not the node. */
  async #openConsole(node: NodeRow, { console }: RunningNode): Promise<TelnetConsole | undefined> {
    if (console === undefined || node.console_port === null) return undefined
    const telnet = new TelnetConsole(console)
    try {
      await telnet.listen({ host: consoleHost, port: node.console_port })
    } catch (error) {
      this.#options.logger.warn(
        { node: node.id, port: node.console_port, reason: messageOf(error) },
        'a console cannot be opened',
      )
    }
    return telnet
  }

  #noteEnd(entry: Entry, reason: string): void {
    if (entry.isStopping) return
    this.#entries.delete(entry.node.id)
    entry.console?.[Symbol.asyncDispose]().catch(() => undefined)
    this.#options.onEnded(entry.node, reason)
  }
}

const inTheWay = new Set(['ENOTDIR', 'EISDIR', 'EEXIST', 'ENOTEMPTY', 'ELOOP'])

/** People and programs may have left a file where a node needs a folder, or a folder where it needs a file. */
function asRefusal({ name }: NodeRow, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  if (error instanceof AppError || code === undefined || !inTheWay.has(code)) return error
  return new AppError('conflict', `Cannot start ${name}: ${messageOf(error)}`, { cause: error })
}
