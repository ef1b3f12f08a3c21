import type { Kysely } from 'kysely'
import { messageOf } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { Captures } from './captures/captures.ts'
import { DataPlane } from './dataplane/data-plane.ts'
import { type Link, listLinksOfNode } from './links/link-store.ts'
import type { NodeKind } from './nodes/node-kind.ts'
import { listWantedNodes, updateNode } from './nodes/node-store.ts'
import { RunningNodes } from './nodes/running-nodes.ts'
import type { ProjectFolders } from './projects/project-folder.ts'
import type { LinksTables, NodeRow } from './tables.ts'
import { Wiring } from './wiring.ts'

export interface LabOptions {
  readonly db: Kysely<LinksTables>
  readonly folders: ProjectFolders
  readonly kinds: ReadonlyMap<string, NodeKind>
  readonly logger: Logger
}

/** What is at work on this machine: nodes, the links between them and their captures. Knows no caller and no rights. */
export class Lab implements AsyncDisposable {
  readonly nodes: RunningNodes
  readonly wiring: Wiring
  readonly captures: Captures
  readonly #options: LabOptions
  readonly #dataPlane: DataPlane

  constructor(options: LabOptions) {
    const { kinds, folders, logger } = options
    this.#options = options
    this.#dataPlane = new DataPlane({ logger, onCaptureFailed: (linkId) => this.captures.noteEnd(linkId) })
    this.nodes = new RunningNodes({ kinds, folders, logger, onEnded: (node, reason) => this.#noteEnd(node, reason) })
    this.wiring = new Wiring(this.#dataPlane, this.nodes)
    this.captures = new Captures(this.#dataPlane)
  }

  /** Starts the nodes that were running when the server ended, however it ended. What cannot start is logged and rests. */
  async restore(): Promise<void> {
    for (const node of await listWantedNodes(this.#options.db)) {
      try {
        await this.startNode(node)
      } catch (error) {
        this.#options.logger.warn({ node: node.id, reason: messageOf(error) }, 'a node cannot be started again')
        await updateNode(this.#options.db, node.id, { is_started: false })
      }
    }
  }

  /** Starts a node and joins it to its links; when that fails nothing of it runs. */
  async startNode(node: NodeRow): Promise<void> {
    if (this.nodes.find(node.id) !== undefined) return
    await this.nodes.start(node)
    try {
      for (const link of await this.#linksOf(node.id)) await this.wiring.connect(link)
    } catch (error) {
      await this.stopNode(node.id)
      throw error
    }
  }

  async stopNode(nodeId: string): Promise<void> {
    await this.nodes.stop(nodeId)
    await this.#disconnect(nodeId)
  }

  async stopProject(projectId: string): Promise<void> {
    for (const id of this.nodes.ofProject(projectId)) await this.stopNode(id)
  }

  /** Does work that changes database and wire; when it fails `undo` makes the wire what it was. */
  async undoing(work: () => Promise<void>, undo: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      await undo().catch((second) =>
        this.#options.logger.error({ err: second }, 'a failed change could not be undone on the wire'),
      )
      throw error
    }
  }

  async closeLink(linkId: string): Promise<void> {
    await this.wiring.close(linkId)
    this.captures.noteEnd(linkId)
  }

  async #disconnect(nodeId: string): Promise<void> {
    for (const link of await this.#linksOf(nodeId)) {
      await this.wiring.disconnect(link, nodeId)
      if (!this.wiring.isOpen(link.id)) this.captures.noteEnd(link.id)
    }
  }

  #linksOf(nodeId: string): Promise<Link[]> {
    return listLinksOfNode(this.#options.db, nodeId)
  }

  /** A node that ended by itself, its user having typed `quit` for instance, rests until somebody starts it. */
  #noteEnd(node: NodeRow, reason: string): void {
    const { db, logger } = this.#options
    logger.info({ node: node.id, name: node.name, reason }, 'a node ended')
    const settle = async () => {
      await updateNode(db, node.id, { is_started: false })
      await this.#disconnect(node.id)
    }
    settle().catch((error) => logger.warn({ err: error, node: node.id }, 'the end of a node could not be stored'))
  }

  /** Ends all nodes, which stay wanted for the next start, and the data plane. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.nodes.all().map((id) => this.nodes.stop(id)))
    await this.#dataPlane[Symbol.asyncDispose]()
  }
}
