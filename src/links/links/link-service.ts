import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { isUuid } from '../../platform/uuid.ts'
import { type CapturedEnd, checkCaptureName, defaultCaptureName } from '../captures/capture-name.ts'
import type { LinkStatistics } from '../dataplane/data-plane.ts'
import type { Announcer } from '../events/announcer.ts'
import { type FilterSet, parseFilters } from '../filters/index.ts'
import type { Lab } from '../lab.ts'
import type { NodeKind } from '../nodes/node-kind.ts'
import { getNode } from '../nodes/node-store.ts'
import type { ProjectAccess } from '../projects/project-access.ts'
import type { ProjectFolders } from '../projects/project-folder.ts'
import type { LinksTables, NodeRow, PortLabel } from '../tables.ts'
import { type GivenLabel, toLabel } from './link-presenter.ts'
import {
  deleteLink,
  findLink,
  insertLink,
  type Link,
  listLinks,
  type NewLink,
  type NewLinkEnd,
  updateLabel,
  updateLink,
} from './link-store.ts'

export interface LinkAddress {
  readonly projectId: string
  readonly id: string
}

export interface LinkEndRequest {
  readonly node_id: string
  readonly adapter_number: number
  readonly port_number: number
  readonly label?: GivenLabel | null
}

export interface LinkRequest {
  readonly nodes: readonly LinkEndRequest[]
  readonly filters?: unknown
  readonly link_style?: Record<string, unknown>
  readonly suspend?: boolean
}

export interface LinkUpdate {
  readonly nodes?: readonly { readonly node_id: string; readonly label?: GivenLabel | null }[]
  readonly filters?: unknown
  readonly link_style?: Record<string, unknown>
  readonly suspend?: boolean
}

export interface LinkServiceParts {
  readonly db: Kysely<LinksTables>
  readonly access: ProjectAccess
  readonly folders: ProjectFolders
  readonly kinds: ReadonlyMap<string, NodeKind>
  readonly lab: Lab
  readonly announcer: Announcer
}

/** Links: everything is checked before anything changes, and what changes does so in the database and on the wire together. */
export class LinkService {
  readonly #parts: LinkServiceParts

  constructor(parts: LinkServiceParts) {
    this.#parts = parts
  }

  async listLinks(actor: Actor, projectId: string): Promise<Link[]> {
    const { id } = await this.#parts.access.getProject(actor, projectId)
    return listLinks(this.#parts.db, id)
  }

  async getLink(actor: Actor, address: LinkAddress): Promise<Link> {
    await this.#parts.access.getOpenProject(actor, address.projectId)
    return this.#get(address)
  }

  async createLink(actor: Actor, projectId: string, request: LinkRequest): Promise<Link> {
    const { db, access, lab, announcer } = this.#parts
    return access.inOpenProject(actor, projectId, async () => {
      const filters = parseFilters(request.filters ?? {})
      const link = await this.#newLink(projectId, request, filters)
      const created = await lab.undoing(
        () =>
          db.transaction().execute(async (tx) => {
            const inserted = await insertLink(tx, link)
            await lab.wiring.connect(inserted)
            return inserted
          }),
        () => lab.closeLink(link.id),
      )
      announcer.link('created', created)
      return created
    })
  }

  async updateLink(actor: Actor, address: LinkAddress, update: LinkUpdate): Promise<Link> {
    return this.#parts.access.inOpenProject(actor, address.projectId, async () => {
      const filters = update.filters === undefined ? undefined : parseFilters(update.filters)
      const link = await this.#get(address)
      await this.#refuseStrangers(address.projectId, update)
      await this.#parts.lab.undoing(
        () => this.#apply(link, { ...update, filters }),
        () => this.#parts.lab.wiring.restore(link),
      )
      const changed = await this.#get(address)
      if (!isDeepStrictEqual(changed, link)) this.#parts.announcer.link('updated', changed)
      return changed
    })
  }

  async deleteLink(actor: Actor, address: LinkAddress): Promise<void> {
    const { db, access, lab, announcer } = this.#parts
    await access.inOpenProject(actor, address.projectId, async () => {
      const link = await this.#get(address)
      await lab.closeLink(link.id)
      await deleteLink(db, link.id)
      announcer.link('deleted', link)
    })
  }

  async startCapture(actor: Actor, address: LinkAddress, wantedName: string): Promise<Link> {
    const { db, access, folders, lab } = this.#parts
    return access.inOpenProject(actor, address.projectId, async () => {
      const checkedName = wantedName === '' ? undefined : checkCaptureName(wantedName)
      const link = await this.#get(address)
      if (!lab.wiring.isOpen(link.id))
        throw new AppError('conflict', 'Cannot capture because there is no running device on this link')
      const name = checkedName ?? (await this.#defaultName(link))
      await lab.captures.start(link.id, folders.captures(link.project_id), name)
      await lab.undoing(
        () => updateLink(db, link.id, { capture_file_name: name }),
        () => lab.captures.stop(link.id),
      )
      return this.#announceUpdate(address)
    })
  }

  async stopCapture(actor: Actor, address: LinkAddress): Promise<Link> {
    return this.#parts.access.inOpenProject(actor, address.projectId, async () => {
      const link = await this.#get(address)
      if (!this.#parts.lab.captures.isActive(link.id)) return link
      await this.#parts.lab.captures.stop(link.id)
      return this.#announceUpdate(address)
    })
  }

  async readCapture(actor: Actor, address: LinkAddress, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const { id, project_id, capture_file_name: name } = await this.getLink(actor, address)
    const path = name === null ? undefined : join(this.#parts.folders.captures(project_id), name)
    return this.#parts.lab.captures.read(id, path, signal)
  }

  /** Undefined while no node of the link runs: nothing passes then. */
  async statistics(actor: Actor, address: LinkAddress): Promise<LinkStatistics | undefined> {
    const { id } = await this.getLink(actor, address)
    return this.#parts.lab.wiring.statistics(id)
  }

  async #announceUpdate(address: LinkAddress): Promise<Link> {
    const link = await this.#get(address)
    this.#parts.announcer.link('updated', link)
    return link
  }

  async #get({ projectId, id }: LinkAddress): Promise<Link> {
    const link = isUuid(id) ? await findLink(this.#parts.db, projectId, id) : undefined
    if (link === undefined) throw new AppError('not_found', `Link ID ${id} doesn't exist`)
    return link
  }

  async #newLink(
    projectId: string,
    { nodes, link_style = {}, suspend = false }: LinkRequest,
    filters: FilterSet,
  ): Promise<NewLink> {
    const [first, second] = nodes as [LinkEndRequest, LinkEndRequest]
    if (first.node_id === second.node_id) throw new AppError('conflict', 'Cannot connect to itself')
    const nodesThere = [await this.#node(projectId, first), await this.#node(projectId, second)] as const
    if (nodesThere.every(({ kind }) => kind.isOutside))
      throw new AppError('conflict', 'Connecting a cloud to a cloud is not allowed')
    const ends = [checkedEnd(nodesThere[0], first), checkedEnd(nodesThere[1], second)] as const
    return { id: randomUUID(), project_id: projectId, filters, is_suspended: suspend, link_style, ends }
  }

  async #node(projectId: string, { node_id }: LinkEndRequest): Promise<NodeThere> {
    const node = await getNode(this.#parts.db, projectId, node_id)
    return { node, kind: this.#parts.kinds.get(node.node_type) as NodeKind }
  }

  /** A label may be sent for a node that is not on the link, but not for one that is nowhere. */
  async #refuseStrangers(projectId: string, { nodes = [] }: LinkUpdate): Promise<void> {
    for (const { node_id } of nodes) await getNode(this.#parts.db, projectId, node_id)
  }

  async #apply(
    link: Link,
    { nodes = [], filters, link_style, suspend }: LinkUpdate & { filters: FilterSet | undefined },
  ): Promise<void> {
    const { wiring } = this.#parts.lab
    await this.#parts.db.transaction().execute(async (tx) => {
      await updateLink(tx, link.id, { filters, link_style, is_suspended: suspend })
      for (const { nodeId, label } of newLabels(link, nodes)) await updateLabel(tx, link.id, { nodeId, label })
      if (filters !== undefined) await wiring.setFilters(link.id, filters)
      if (suspend !== undefined) await wiring.setSuspended(link.id, suspend)
    })
  }

  async #defaultName({ project_id, ends }: Link): Promise<string> {
    const named = async ({
      node_id,
      adapter_number: adapter,
      port_number: port,
    }: Link['ends'][number]): Promise<CapturedEnd> => {
      return { nodeName: (await getNode(this.#parts.db, project_id, node_id)).name, adapter, port }
    }
    return defaultCaptureName([await named(ends[0]), await named(ends[1])])
  }
}

interface NodeThere {
  readonly node: NodeRow
  readonly kind: NodeKind
}

/** @throws AppError `not_found` for a port that the node does not have */
function checkedEnd({ node, kind }: NodeThere, { label, ...end }: LinkEndRequest): NewLinkEnd {
  const { adapter_number: adapter, port_number: port } = end
  const ports = kind.ports(node)
  const isThere = ports.some(({ adapter_number, port_number }) => adapter_number === adapter && port_number === port)
  if (!isThere) throw new AppError('not_found', `Port ${adapter}/${port} for ${node.name} not found`)
  return { ...end, label: toLabel(label, end) }
}

/** The labels that were sent for nodes of this link. */
function newLabels({ ends }: Link, nodes: NonNullable<LinkUpdate['nodes']>): { nodeId: string; label: PortLabel }[] {
  return nodes.flatMap(({ node_id: nodeId, label }) => {
    const end = ends.find(({ node_id }) => node_id === nodeId)
    return end === undefined || !label ? [] : [{ nodeId, label: toLabel(label, end) }]
  })
}
