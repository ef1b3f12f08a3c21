import { messageOf } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { TelnetConsole } from '../console/telnet-console.ts'
import type { ProjectFolders } from '../projects/project-folder.ts'
import type { NodeRow } from '../tables.ts'
import type { NodeKind, RunningNode } from './node-kind.ts'

/** Consoles are for people on this machine; others reach them through a tunnel. */
export const consoleHost = '127.0.0.1'

export interface RunningNodesOptions {
  readonly kinds: ReadonlyMap<string, NodeKind>
  readonly folders: ProjectFolders
  readonly logger: Logger
  /** Told when a node has ended that nobody stopped. */
  readonly onEnded: (node: NodeRow, reason: string) => void
}

interface Entry {
  readonly node: NodeRow
  readonly running: RunningNode
  readonly console: TelnetConsole | undefined
  isStopping: boolean
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

  ofProject(projectId: string): string[] {
    return [...this.#entries.values()].filter(({ node }) => node.project_id === projectId).map(({ node }) => node.id)
  }

  all(): string[] {
    return [...this.#entries.keys()]
  }

  /** @throws AppError `conflict` that says why the node cannot start; nothing of it is left then */
  async start(node: NodeRow): Promise<RunningNode> {
    const kind = this.#options.kinds.get(node.node_type) as NodeKind
    const { folders, logger } = this.#options
    const running = await kind.start({ node, folder: folders.node(node), logger })
    const entry: Entry = { node, running, console: await this.#openConsole(node, running), isStopping: false }
    this.#entries.set(node.id, entry)
    running.ended.then((reason) => this.#noteEnd(entry, reason))
    return running
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
