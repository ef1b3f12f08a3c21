import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { isUniqueViolation } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import { isUuid } from '../../platform/uuid.ts'
import { KeyedQueue } from '../keyed-queue.ts'
import type { Lab } from '../lab.ts'
import { listLinksOfNode } from '../links/link-store.ts'
import type { ProjectAccess } from '../projects/project-access.ts'
import type { ProjectFolders } from '../projects/project-folder.ts'
import type { LinksTables, NodeRow } from '../tables.ts'
import { isFree, pickConsolePort } from './console-ports.ts'
import type { NodeKind } from './node-kind.ts'
import { deleteNode, findNode, insertNode, listConsolePorts, listNodes, updateNode } from './node-store.ts'
import { consoleHost } from './running-nodes.ts'
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
}

/** Nodes of projects: what they are, and whether they are meant to run. */
export class NodeService {
  readonly #parts: NodeServiceParts
  readonly #consolePorts = new KeyedQueue()

  constructor(parts: NodeServiceParts) {
    this.#parts = parts
  }

  async listNodes(actor: Actor, projectId: string): Promise<NodeRow[]> {
    const { id } = await this.#parts.access.getProject(actor, projectId)
    return listNodes(this.#parts.db, id)
  }

  async getNode(actor: Actor, projectId: string, id: string): Promise<NodeRow> {
    await this.#parts.access.getProject(actor, projectId)
    return this.#get(projectId, id)
  }

  async createNode(actor: Actor, projectId: string, request: NodeRequest): Promise<NodeRow> {
    return this.#parts.access.inOpenProject(actor, projectId, () => this.#insert(projectId, request))
  }

  async updateNode(
    actor: Actor,
    { projectId, id }: NodeAddress,
    { name, properties, appearance }: NodeUpdate,
  ): Promise<NodeRow> {
    return this.#parts.access.inOpenProject(actor, projectId, async () => {
      const node = await this.#get(projectId, id)
      const changes = {
        name,
        properties: properties ? this.#kind(node.node_type).checkProperties(properties) : undefined,
        appearance: { ...node.appearance, ...appearance },
      }
      return this.#refusingTakenName(name ?? node.name, () => updateNode(this.#parts.db, node.id, changes))
    })
  }

  async deleteNode(actor: Actor, projectId: string, id: string): Promise<void> {
    const { db, access, folders, lab } = this.#parts
    await access.inOpenProject(actor, projectId, async () => {
      const node = await this.#get(projectId, id)
      for (const link of await listLinksOfNode(db, node.id)) await lab.closeLink(link.id)
      await lab.stopNode(node.id)
      await db.transaction().execute((tx) => deleteNode(tx, node.id))
      await rm(folders.node(node), { recursive: true, force: true })
    })
  }

  /** @throws AppError `conflict` that says why it cannot start; it rests then, as before */
  async startNode(actor: Actor, projectId: string, id: string): Promise<NodeRow> {
    const { db, access, lab } = this.#parts
    return access.inOpenProject(actor, projectId, async () => {
      const node = await this.#get(projectId, id)
      if (lab.nodes.find(node.id) !== undefined) return node
      await lab.startNode(await this.#withFreeConsole(node))
      return updateNode(db, node.id, { is_started: true })
    })
  }

  async stopNode(actor: Actor, projectId: string, id: string): Promise<NodeRow> {
    const { db, access, lab } = this.#parts
    return access.inOpenProject(actor, projectId, async () => {
      const node = await this.#get(projectId, id)
      await lab.stopNode(node.id)
      return updateNode(db, node.id, { is_started: false })
    })
  }

  async #get(projectId: string, id: string): Promise<NodeRow> {
    const node = isUuid(id) ? await findNode(this.#parts.db, projectId, id) : undefined
    if (node === undefined) throw new AppError('not_found', `Node ID ${id} doesn't exist`)
    return node
  }

  async #insert(
    projectId: string,
    { name, node_type, node_id, properties, appearance }: NodeRequest,
  ): Promise<NodeRow> {
    const { db } = this.#parts
    const kind = this.#kind(node_type)
    const nodes = await listNodes(db, projectId)
    const others = nodes.filter((node) => node.node_type === node_type).map(({ kind_state }) => kind_state)
    const free = uniqueName(name, new Set(nodes.map((node) => node.name)))
    const node = {
      id: node_id ?? randomUUID(),
      project_id: projectId,
      name: free,
      node_type,
      appearance,
      properties: kind.checkProperties(properties ?? {}),
      kind_state: kind.newState(others),
    }
    if (!kind.hasConsole) return this.#refusingTakenName(free, () => insertNode(db, { ...node, console_port: null }))
    return this.#withConsolePort((console_port) =>
      this.#refusingTakenName(free, () => insertNode(db, { ...node, console_port })),
    )
  }

  #kind(type: string): NodeKind {
    return this.#parts.kinds.get(type) as NodeKind
  }

  /** Somebody else may have taken the port while the node rested. */
  async #withFreeConsole(node: NodeRow): Promise<NodeRow> {
    const { db } = this.#parts
    if (node.console_port === null || (await isFree(consoleHost, node.console_port))) return node
    return this.#withConsolePort((console_port) => updateNode(db, node.id, { console_port }))
  }

  /** One at a time: nodes of different projects share the ports of this machine. */
  #withConsolePort<T>(use: (port: number) => Promise<T>): Promise<T> {
    return this.#consolePorts.run('', async () =>
      use(await pickConsolePort(consoleHost, await listConsolePorts(this.#parts.db))),
    )
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

export interface NodeAddress {
  readonly projectId: string
  readonly id: string
}
