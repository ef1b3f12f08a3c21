import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import { type Actor, requireRight } from '../../platform/auth/actor.ts'
import { isUniqueViolation } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { Announcer } from '../events/announcer.ts'
import type { Lab } from '../lab.ts'
import { type Link, listLinksOfNode } from '../links/link-store.ts'
import type { ProjectAccess } from '../projects/project-access.ts'
import type { ProjectFolders } from '../projects/project-folder.ts'
import type { LinksTables, NodeRow } from '../tables.ts'
import type { ConsolePorts } from './console-ports.ts'
import type { NodeKind } from './node-kind.ts'
import { deleteNode, getNode, insertNode, listNodes, type NodeChanges, updateNode } from './node-store.ts'
import { uniqueName } from './unique-name.ts'

export interface NodeRequest {
  readonly name: string
  readonly node_type: string
  readonly node_id?: string | null | undefined
  readonly properties?: Record<string, unknown> | null | undefined
  /** How it is drawn: kept and given back. */
  readonly appearance: Record<string, unknown>
}

export interface NodeUpdate {
  readonly name?: string | undefined
  readonly properties?: Record<string, unknown> | null | undefined
  readonly appearance: Record<string, unknown>
}

export interface NodeServiceParts {
  readonly db: Kysely<LinksTables>
  readonly access: ProjectAccess
  readonly folders: ProjectFolders
  readonly kinds: ReadonlyMap<string, NodeKind>
  readonly lab: Lab
  readonly announcer: Announcer
  readonly consolePorts: ConsolePorts
}

/** Nodes of projects: what they are. Whether they run is `node-runner.ts`'s. */
export class NodeService {
  readonly #parts: NodeServiceParts

  constructor(parts: NodeServiceParts) {
    this.#parts = parts
  }

  async listNodes(actor: Actor, projectId: string): Promise<NodeRow[]> {
    const { id } = await this.#parts.access.getProject(actor, projectId)
    return listNodes(this.#parts.db, id)
  }

  async getNode(actor: Actor, projectId: string, id: string): Promise<NodeRow> {
    await this.#parts.access.getProject(actor, projectId)
    return getNode(this.#parts.db, projectId, id)
  }

  async createNode(actor: Actor, projectId: string, request: NodeRequest): Promise<NodeRow> {
    const { db, access, lab, announcer } = this.#parts
    return access.inOpenProject(actor, projectId, async () => {
      const node = await this.#insert(actor, projectId, request)
      if (this.#kind(node.node_type).isAlwaysOn) {
        await lab.undoing(
          () => lab.startNode(node),
          () => db.transaction().execute((tx) => deleteNode(tx, node.id)),
        )
      }
      announcer.node('created', node)
      return node
    })
  }

  async updateNode(
    actor: Actor,
    { projectId, id }: NodeAddress,
    { name, properties, appearance }: NodeUpdate,
  ): Promise<NodeRow> {
    const { db, access, announcer } = this.#parts
    return access.inOpenProject(actor, projectId, async () => {
      const node = await getNode(this.#parts.db, projectId, id)
      const kind = this.#kind(node.node_type)
      const changes = {
        name,
        properties: properties ? kind.checkProperties({ ...node.properties, ...properties }) : undefined,
        appearance: { ...node.appearance, ...appearance },
      }
      if (changes.properties !== undefined) await this.#checkChange(actor, node, changes.properties)
      const changed = await this.#refusingTakenName(name ?? node.name, () =>
        changes.properties === undefined ? updateNode(db, node.id, changes) : this.#reconfigure(node, changes),
      )
      announcer.node('updated', changed)
      return changed
    })
  }

  async deleteNode(actor: Actor, projectId: string, id: string): Promise<void> {
    const { db, access, folders, lab, announcer } = this.#parts
    await access.inOpenProject(actor, projectId, async () => {
      const node = await getNode(this.#parts.db, projectId, id)
      const links = await listLinksOfNode(db, node.id)
      for (const link of links) await lab.closeLink(link.id)
      await lab.stopNode(node.id)
      await db.transaction().execute((tx) => deleteNode(tx, node.id))
      await rm(folders.node(node), { recursive: true, force: true })
      for (const link of links) announcer.link('deleted', link)
      announcer.node('deleted', node)
    })
  }

  async listLinks(actor: Actor, { projectId, id }: NodeAddress): Promise<Link[]> {
    await this.#parts.access.getProject(actor, projectId)
    return listLinksOfNode(this.#parts.db, (await getNode(this.#parts.db, projectId, id)).id)
  }

  /** Stores what a node has become and lets it take that up while it is at work, or leaves both as they were. */
  #reconfigure(node: NodeRow, changes: NodeChanges): Promise<NodeRow> {
    const { db, lab } = this.#parts
    return lab.undoing(
      () =>
        db.transaction().execute(async (tx) => {
          const changed = await updateNode(tx, node.id, changes)
          await lab.updateNode(changed)
          return changed
        }),
      () => lab.updateNode(node),
    )
  }

  /** Ports that links end at must stay, and who changes a node must be allowed to have it. */
  async #checkChange(actor: Actor, node: NodeRow, properties: Record<string, unknown>): Promise<void> {
    const kind = this.#kind(node.node_type)
    requireNodeRight(actor, kind, properties)
    const ports = kind.ports({ properties })
    for (const { ends } of await listLinksOfNode(this.#parts.db, node.id)) {
      for (const { node_id, adapter_number: adapter, port_number: port } of ends) {
        if (node_id !== node.id) continue
        if (ports.some(({ adapter_number, port_number }) => adapter_number === adapter && port_number === port))
          continue
        throw new AppError('conflict', `Cannot change ${node.name}: its port ${adapter}/${port} is joined by a link`)
      }
    }
  }

  async #insert(
    actor: Actor,
    projectId: string,
    { name, node_type, node_id, properties, appearance }: NodeRequest,
  ): Promise<NodeRow> {
    const { db } = this.#parts
    const kind = this.#kind(node_type)
    const nodes = await listNodes(db, projectId)
    const others = nodes.filter((node) => node.node_type === node_type).map(({ kind_state }) => kind_state)
    const checked = kind.checkProperties(properties ?? {})
    requireNodeRight(actor, kind, checked)
    const free = uniqueName(name, new Set(nodes.map((node) => node.name)))
    const node = {
      id: node_id ?? randomUUID(),
      project_id: projectId,
      name: free,
      node_type,
      appearance,
      properties: checked,
      kind_state: kind.newState(others),
    }
    if (!kind.hasConsole) return this.#refusingTakenName(free, () => insertNode(db, { ...node, console_port: null }))
    return this.#parts.consolePorts.use((console_port) =>
      this.#refusingTakenName(free, () => insertNode(db, { ...node, console_port })),
    )
  }

  #kind(type: string): NodeKind {
    return this.#parts.kinds.get(type) as NodeKind
  }

  async #refusingTakenName(name: string, write: () => Promise<NodeRow>): Promise<NodeRow> {
    try {
      return await write()
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      const what = isUniqueViolation(error, 'nodes_name_key') ? `the name "${name}"` : 'its id or console port'
      throw new AppError('conflict', `Cannot save node "${name}": ${what} is taken`, { cause: error })
    }
  }
}

/** @throws AppError `forbidden` for who must not have such a node */
export function requireNodeRight(actor: Actor, kind: NodeKind, properties: Readonly<Record<string, unknown>>): void {
  const right = kind.neededRight(properties)
  if (right !== undefined) requireRight(actor, right)
}

export interface NodeAddress {
  readonly projectId: string
  readonly id: string
}
