import type { Kysely } from 'kysely'
import { messageOf } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { Captures } from './captures/captures.ts'
import { DataPlane } from './dataplane/data-plane.ts'
import type { Announcer } from './events/announcer.ts'
import type { KeyedQueue } from './keyed-queue.ts'
import { findLinkById, type Link, listLinksOfNode } from './links/link-store.ts'
import type { ConsolePorts } from './nodes/console-ports.ts'
import type { NodeKind } from './nodes/node-kind.ts'
import { listNodes, listNodesOfOpenProjects, updateNode } from './nodes/node-store.ts'
import { RunningNodes } from './nodes/running-nodes.ts'
import type { ProjectFolders } from './projects/project-folder.ts'
import type { LinksTables, NodeRow } from './tables.ts'
import { Wiring } from './wiring.ts'

export interface LabOptions {
  readonly db: Kysely<LinksTables>
  readonly folders: ProjectFolders
  readonly kinds: ReadonlyMap<string, NodeKind>
  readonly consolePorts: ConsolePorts
  /** Whose turn it is in each project. */
  readonly queue: KeyedQueue
  /** Folders of the server that no node may see. */
  readonly hidden: readonly string[]
  readonly logger: Logger
}

/** What is at work on this machine: nodes, the links between them and their captures. Knows no caller and no rights. */
export class Lab implements AsyncDisposable {
  readonly nodes: RunningNodes
  readonly wiring: Wiring
  readonly captures: Captures
  readonly #options: LabOptions
  readonly #dataPlane: DataPlane
  #announcer: Announcer | undefined

  constructor(options: LabOptions) {
    const { logger } = options
    this.#options = options
    this.#dataPlane = new DataPlane({
      logger,
      onCaptureFailed: (linkId, _captureId, reason) => void this.#noteFailedCapture(linkId, reason),
    })
    this.nodes = new RunningNodes({
      ...options,
      dataPlane: this.#dataPlane,
      onEnded: (node, reason) => void this.#noteEnd(node, reason),
    })
    this.wiring = new Wiring(this.#dataPlane, this.nodes)
    this.captures = new Captures(this.#dataPlane)
  }

  /** Who tells of what happens by itself. */
  set announcer(announcer: Announcer) {
    this.#announcer = announcer
  }

  /** Starts the nodes that were running when the server ended, however it ended. What cannot start is logged and rests. */
  async restore(): Promise<void> {
    const nodes = await listNodesOfOpenProjects(this.#options.db)
    for (const node of nodes.filter((each) => this.#isAlwaysOn(each))) await this.#startAnyway(node)
    for (const node of nodes.filter((each) => each.is_started && !this.#isAlwaysOn(each))) await this.#startAnyway(node)
  }

  /** Brings up what is always on in a project that was opened. */
  async openProject(projectId: string): Promise<void> {
    for (const node of await listNodes(this.#options.db, projectId)) {
      if (this.#isAlwaysOn(node) && this.nodes.find(node.id) === undefined) await this.#startAnyway(node)
    }
  }

  /** Starts a node and joins it to its links; when that fails nothing of it runs. */
  async startNode(node: NodeRow): Promise<void> {
    if (this.nodes.find(node.id) !== undefined) return
    await this.#launch(node)
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

  /** Halts a node's programs where they are and takes it off its links, or the reverse. */
  async suspendNode(nodeId: string, isSuspended: boolean): Promise<void> {
    await this.nodes.suspend(nodeId, isSuspended)
    if (this.nodes.status(nodeId) === 'suspended') return this.#disconnect(nodeId)
    for (const link of await this.#linksOf(nodeId)) await this.wiring.connect(link)
  }

  /** Lets a running node take up what it was changed to. */
  async updateNode(node: NodeRow): Promise<void> {
    if (this.nodes.find(node.id)?.update === undefined) return
    await this.nodes.update(node)
    // the ports of a bridge stay where they are
    if (this.#options.kinds.get(node.node_type)?.isBridge === true) return
    for (const link of await this.#linksOf(node.id)) await this.wiring.reconnect(link, node.id)
  }

  async stopProject(projectId: string): Promise<void> {
    for (const id of this.nodes.ofProject(projectId)) await this.stopNode(id)
  }

  /** Does work that changes database and wire; when it fails `undo` makes the wire what it was. */
  async undoing<T>(work: () => Promise<T>, undo: () => Promise<void>): Promise<T> {
    try {
      return await work()
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

  #isAlwaysOn({ node_type }: NodeRow): boolean {
    return this.#options.kinds.get(node_type)?.isAlwaysOn === true
  }

  async #launch(node: NodeRow): Promise<void> {
    await this.nodes.start(await this.#options.consolePorts.ensureFree(node))
  }

  /** A node that is to run although nobody is there to hear why it cannot. */
  async #startAnyway(node: NodeRow): Promise<void> {
    try {
      await this.#launch(node)
    } catch (error) {
      this.#warn(node, `${node.name} cannot be started again: ${messageOf(error)}`)
      await updateNode(this.#options.db, node.id, { is_started: false })
      return
    }
    for (const link of await this.#linksOf(node.id)) {
      await this.wiring
        .connect(link)
        .catch((error) => this.#warn(node, `A link of ${node.name} cannot be joined: ${messageOf(error)}`))
    }
  }

  /** Takes a node off its links; those that nobody is left on are closed, which ends their captures. */
  async #disconnect(nodeId: string): Promise<void> {
    for (const link of await this.#linksOf(nodeId)) {
      await this.wiring.disconnect(link, nodeId)
      if (this.wiring.isOpen(link.id) || !this.captures.isActive(link.id)) continue
      this.captures.noteEnd(link.id)
      this.#announcer?.link('updated', link)
    }
  }

  #linksOf(nodeId: string): Promise<Link[]> {
    return listLinksOfNode(this.#options.db, nodeId)
  }

  /** A node that ended by itself rests until somebody starts it. */
  async #noteEnd(node: NodeRow, reason: string): Promise<void> {
    const { db, queue, logger } = this.#options
    const settle = async () => {
      if (this.nodes.find(node.id) !== undefined) return
      this.#warn(node, `${node.name} ended: ${reason}`)
      const resting = await updateNode(db, node.id, { is_started: false })
      await this.#disconnect(node.id)
      this.#announcer?.node('updated', resting)
    }
    await queue
      .run(node.project_id, settle)
      .catch((error) => logger.warn({ err: error, node: node.id }, 'the end of a node could not be stored'))
  }

  async #noteFailedCapture(linkId: string, reason: string): Promise<void> {
    const { db, logger } = this.#options
    this.captures.noteEnd(linkId)
    logger.warn({ link: linkId, reason }, 'a capture ended by itself')
    const link = await findLinkById(db, linkId).catch(() => undefined)
    if (link === undefined) return
    this.#announcer?.log('error', link.project_id, `The capture ${link.capture_file_name} ended: ${reason}`)
    this.#announcer?.link('updated', link)
  }

  #warn({ id, project_id }: NodeRow, message: string): void {
    this.#options.logger.warn({ node: id }, message)
    this.#announcer?.log('warning', project_id, message)
  }

  /** Ends all nodes, which stay wanted for the next start, and the data plane. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.nodes.all().map((id) => this.nodes.stop(id)))
    await this.#dataPlane[Symbol.asyncDispose]()
  }
}
