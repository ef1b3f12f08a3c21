import type { DataPlane, LinkEnd, LinkStatistics, PlaneTotals } from './dataplane/data-plane.ts'
import type { FilterSet } from './filters/index.ts'
import type { Link } from './links/link-store.ts'
import type { RunningNodes } from './nodes/running-nodes.ts'

/**
 * Keeps the data plane as the links and running nodes say. A link is open there as long as one of its nodes runs:
 *
 *   node A runs, node B rests:  port A ──▶ filters ──▶ (no port: dropped)
 *   both run:                   port A ──▶ filters ──▶ captures ──▶ port B, and back
 */
export class Wiring {
  readonly #dataPlane: DataPlane
  readonly #nodes: RunningNodes
  readonly #open = new Set<string>()

  constructor(dataPlane: DataPlane, nodes: RunningNodes) {
    this.#dataPlane = dataPlane
    this.#nodes = nodes
  }

  isOpen(linkId: string): boolean {
    return this.#open.has(linkId)
  }

  /** Opens a link if one of its nodes runs, and joins the ports of all that do. Repeating it changes nothing. */
  async connect(link: Link): Promise<void> {
    const { id, ends, filters, is_suspended: suspended } = link
    const ports = ends.map(({ node_id, adapter_number, port_number }) =>
      this.#nodes.findActive(node_id)?.portSpec(adapter_number, port_number),
    )
    if (ports.every((port) => port === undefined)) return
    // bridges of a project pass frames to each other: one thread carries all their links
    const group = ports.some((port) => port?.kind === 'bridge') ? { group: link.project_id } : {}
    if (!this.#open.has(id)) await this.#dataPlane.openLink(id, { filters, suspended, ...group })
    this.#open.add(id)
    for (const [side, port] of ports.entries()) {
      if (port !== undefined) await this.#dataPlane.attachPort(id, side as LinkEnd, port)
    }
  }

  /** Takes up what a node's ports have become. */
  async reconnect(link: Link, nodeId: string): Promise<void> {
    const side = link.ends.findIndex(({ node_id }) => node_id === nodeId)
    if (this.#open.has(link.id)) await this.#dataPlane.detachPort(link.id, side as LinkEnd)
    await this.connect(link)
  }

  /** Takes a stopped node's port off a link, which is closed when no other node of it runs. */
  async disconnect({ id, ends }: Link, nodeId: string): Promise<void> {
    if (!this.#open.has(id)) return
    const isOtherRunning = ends.some(
      ({ node_id }) => node_id !== nodeId && this.#nodes.findActive(node_id) !== undefined,
    )
    if (!isOtherRunning) return this.close(id)
    const side = ends.findIndex(({ node_id }) => node_id === nodeId)
    await this.#dataPlane.detachPort(id, side as LinkEnd)
  }

  async close(linkId: string): Promise<void> {
    if (!this.#open.delete(linkId)) return
    await this.#dataPlane.closeLink(linkId)
  }

  /** In force when it resolves; a link that is not open takes it up when it is opened. */
  async setFilters(linkId: string, filters: FilterSet): Promise<void> {
    if (this.#open.has(linkId)) await this.#dataPlane.setFilters(linkId, filters)
  }

  async setSuspended(linkId: string, isSuspended: boolean): Promise<void> {
    if (this.#open.has(linkId)) await this.#dataPlane.setSuspended(linkId, isSuspended)
  }

  totals(): Promise<PlaneTotals> {
    return this.#dataPlane.totals()
  }

  /** Sets what the link said before a change that failed. */
  async restore({ id, filters, is_suspended }: Link): Promise<void> {
    await this.setFilters(id, filters)
    await this.setSuspended(id, is_suspended)
  }

  async statistics(linkId: string): Promise<LinkStatistics | undefined> {
    return this.#open.has(linkId) ? this.#dataPlane.statistics(linkId) : undefined
  }
}
