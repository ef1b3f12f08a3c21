import type { Actor } from '../../platform/auth/actor.ts'
import { AppError, messageOf } from '../../platform/errors.ts'
import type { TelnetConsole } from '../console/telnet-console.ts'
import type { NodeRow } from '../tables.ts'
import type { NodeKind, RunningNode } from './node-kind.ts'
import { type NodeAddress, type NodeServiceParts, requireNodeRight } from './node-service.ts'
import { getNode, listNodes, updateNode } from './node-store.ts'
import type { CommandRequest, CommandResult } from './run-inside.ts'

export type NodeAction = 'start' | 'stop' | 'suspend' | 'reload'

/** Starts and stops nodes, and works with those that run. What is always on stays as it is, whatever is asked. */
export class NodeRunner {
  readonly #parts: NodeServiceParts

  constructor(parts: NodeServiceParts) {
    this.#parts = parts
  }

  /** @throws AppError `conflict` that says why a node cannot start; it rests then, as before */
  async act(actor: Actor, { projectId, id }: NodeAddress, action: NodeAction): Promise<NodeRow> {
    return this.#parts.access.inOpenProject(actor, projectId, async () => {
      return this.#act(actor, await getNode(this.#parts.db, projectId, id), action)
    })
  }

  /**
   * Does it to all nodes of a project, also when some cannot.
   *
   * @throws AppError `conflict` that names those, with the reasons
   */
  async actOnAll(actor: Actor, projectId: string, action: NodeAction): Promise<void> {
    const { db, access } = this.#parts
    await access.inOpenProject(actor, projectId, async () => {
      const failures: string[] = []
      for (const node of await listNodes(db, projectId)) {
        await this.#act(actor, node, action).catch((error) => failures.push(messageOf(error)))
      }
      if (failures.length > 0) throw new AppError('conflict', failures.join('; '))
    })
  }

  /** Runs a command in a node; others may use the project meanwhile. */
  async runCommand(actor: Actor, address: NodeAddress, request: CommandRequest): Promise<CommandResult> {
    const { run } = await this.#running(actor, address)
    if (run === undefined) throw new AppError('conflict', 'Cannot run a command in this node: only hosts take commands')
    return run(request)
  }

  /** @throws AppError `conflict` for a node that has no console, or rests */
  async getConsole(actor: Actor, address: NodeAddress): Promise<{ console: TelnetConsole; ended: Promise<string> }> {
    const { ended } = await this.#running(actor, address)
    const console = this.#parts.lab.nodes.console(address.id)
    if (console === undefined) throw new AppError('conflict', 'Cannot open the console: this node has none')
    return { console, ended }
  }

  async #running(actor: Actor, { projectId, id }: NodeAddress): Promise<RunningNode> {
    const { access, lab } = this.#parts
    await access.getOpenProject(actor, projectId)
    const node = await getNode(this.#parts.db, projectId, id)
    requireNodeRight(actor, this.#kind(node), node.properties)
    const running = lab.nodes.findActive(node.id)
    if (running === undefined) throw new AppError('conflict', `Cannot use ${node.name}: it is not started`)
    return running
  }

  async #act(actor: Actor, node: NodeRow, action: NodeAction): Promise<NodeRow> {
    const { lab, announcer } = this.#parts
    if (this.#kind(node).isAlwaysOn) return node
    if (action === 'start' || action === 'reload') requireNodeRight(actor, this.#kind(node), node.properties)
    const before = lab.nodes.status(node.id)
    const changed = await this.#apply(node, action)
    if (lab.nodes.status(node.id) !== before || action === 'reload') announcer.node('updated', changed)
    return changed
  }

  async #apply(node: NodeRow, action: NodeAction): Promise<NodeRow> {
    const { db, lab } = this.#parts
    switch (action) {
      case 'start':
        return this.#start(node)
      case 'stop':
        await lab.stopNode(node.id)
        return updateNode(db, node.id, { is_started: false })
      case 'suspend':
        await lab.suspendNode(node.id, true)
        return node
      case 'reload':
        await lab.stopNode(node.id)
        return this.#start(node)
    }
  }

  async #start(node: NodeRow): Promise<NodeRow> {
    const { db, lab } = this.#parts
    if (lab.nodes.find(node.id) !== undefined) {
      await lab.suspendNode(node.id, false)
      return node
    }
    await lab.startNode(node)
    return updateNode(db, node.id, { is_started: true })
  }

  #kind({ node_type }: NodeRow): NodeKind {
    return this.#parts.kinds.get(node_type) as NodeKind
  }
}
