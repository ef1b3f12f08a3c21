import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { notFound } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import type { FilterSet } from '../filters/index.ts'
import { type BridgeSpec, type BridgeStatistics, checkBridge, type LearntAddress } from './bridge-spec.ts'
import type { LinkStatistics } from './counters.ts'
import { type AttachedPort, type LinkEnd, type PlaneEvent, type PortSpec, withLocal } from './protocol.ts'
import { resolvePort } from './resolve-port.ts'
import { openingOf, restore } from './restore.ts'
import { Supervisor } from './supervisor.ts'
import { type PlaneTotals, TotalsLedger } from './totals-ledger.ts'
import { asPresent, type CaptureOptions, isOn, type WantedLink, WantedState } from './wanted-state.ts'

export type { BridgeSpec, BridgeStatistics, LearntAddress, SwitchPort } from './bridge-spec.ts'
export type { DirectionStatistics, DropCause, LinkStatistics } from './counters.ts'
export type { Address, AttachedPort, LinkEnd, PortSpec } from './protocol.ts'
export type { PlaneTotals } from './totals-ledger.ts'
export type { CaptureOptions } from './wanted-state.ts'

export interface DataPlaneOptions {
  readonly logger: Logger
  /** How many threads the links are spread over; by default one for each core, two at most. */
  readonly threads?: number
  /** How much one direction of a link may hold back for its delay; 64 MiB by default. */
  readonly queueLimitBytes?: number
  /** How long the process stays after the last link and bridge are closed; 30 s by default. */
  readonly idleMs?: number
  /** Called when a capture ended by itself (disk full, too slow). Its file is closed and whole; the link goes on. */
  readonly onCaptureFailed?: (linkId: string, captureId: string, reason: string) => void
}

export interface LinkState {
  readonly filters: FilterSet
  readonly suspended: boolean
  /** Makes the link's chances repeatable. */
  readonly seed?: number
  /** All links and bridges of a group can be attached to each other. Fixed while the link is open. */
  readonly group?: string
}

const maxThreads = 2
const defaultQueueLimitBytes = 64 * 1024 * 1024
const defaultIdleMs = 30_000
const seedLimit = 2 ** 48 - 1

/**
 * Carries the frames of all links and bridges, in a process of its own that is there while there are any. When that
 * process ends by itself it is started again and all of them are brought back, running captures included; calls wait
 * meanwhile.
 *
 * A call is in force when it resolves. It throws `not_found` for a link or bridge that is not open and `unavailable`
 * when there is no data plane to be had. Calls on one link, or one bridge, are made one after the other.
 */
export class DataPlane implements AsyncDisposable {
  readonly #options: DataPlaneOptions
  readonly #wanted = new WantedState()
  readonly #lastCalls = new Map<string, Promise<unknown>>()
  readonly #ledger = new TotalsLedger()
  readonly #supervisor: Supervisor

  constructor(options: DataPlaneOptions) {
    this.#options = options
    this.#supervisor = new Supervisor({
      logger: options.logger,
      start: {
        threads: options.threads ?? Math.min(maxThreads, availableParallelism()),
        queueLimitBytes: options.queueLimitBytes ?? defaultQueueLimitBytes,
      },
      idleMs: options.idleMs ?? defaultIdleMs,
      isNeeded: () => !this.#wanted.isEmpty,
      restore: (child) => restore(this.#wanted, { child, logger: options.logger, onCaptureLost: this.#dropCapture }),
      onEvent: (event) => this.#receive(event),
      onCounted: (child, counted) => this.#ledger.note(child, counted),
      onEnded: (child) => this.#ledger.close(child),
    })
  }

  /** The process that carries the frames, while there is one. */
  get pid(): number | undefined {
    return this.#supervisor.pid
  }

  /**
   * Opens a link without ports; for one that is open, sets its state. Throws `conflict` when that one has another group
   * than is asked for.
   */
  openLink(linkId: string, { filters, suspended, seed, group }: LinkState): Promise<void> {
    return this.#inOrder(linkId, async () => {
      const present = this.#wanted.links.get(linkId)
      const wanted: WantedLink = {
        filters,
        suspended,
        seed: present?.seed ?? seed ?? randomInt(seedLimit),
        group: group ?? present?.group,
        ports: present?.ports ?? [undefined, undefined],
        captures: present?.captures ?? new Map(),
      }
      await this.#supervisor.call('openLink', openingOf(linkId, wanted))
      this.#wanted.links.set(linkId, wanted)
    })
  }

  /** Closes a link with its ports, ends its captures and throws away what it holds back. */
  closeLink(linkId: string): Promise<void> {
    return this.#inOrder(linkId, async () => {
      if (!this.#wanted.links.has(linkId)) return
      await this.#supervisor.call('closeLink', { linkId })
      this.#wanted.links.delete(linkId)
      this.#supervisor.rest()
    })
  }

  /**
   * Joins an end of a link to an emulator, a device or a bridge; for UDP the answer tells the local port that was picked.
   * Attaching the same port again changes nothing. Throws `conflict` when the end has another port, the port's address or
   * device is in use, missing or needs root, or the bridge is of another group, `not_found` when there is no such port of
   * a bridge, and `invalid` when the addresses or names cannot work.
   */
  attachPort(linkId: string, end: LinkEnd, port: PortSpec): Promise<AttachedPort> {
    const attach = () => this.#inOrder(linkId, () => this.#attach(linkId, end, port))
    return port.kind === 'bridge' ? this.#inBridgeOrder(port.bridgeId, attach) : attach()
  }

  /** Takes the port of an end away; frames toward it are dropped from then on. */
  detachPort(linkId: string, end: LinkEnd): Promise<void> {
    return this.#inOrder(linkId, () => this.#detach(this.#get(linkId), { linkId, end }))
  }

  /**
   * Opens a hub or a switch. For one that is open, replaces its ports' configuration: stations behind ports that change
   * are forgotten, nothing else is disturbed. Throws `invalid` for what cannot be and `conflict` for another group.
   */
  openBridge(bridgeId: string, spec: BridgeSpec, group: string): Promise<void> {
    return this.#inBridgeOrder(bridgeId, async () => {
      checkBridge(spec)
      await this.#supervisor.call('openBridge', { bridgeId, spec, group })
      this.#wanted.bridges.set(bridgeId, { spec, group })
    })
  }

  /** Closes a bridge, and detaches what is attached to it. */
  closeBridge(bridgeId: string): Promise<void> {
    return this.#inBridgeOrder(bridgeId, async () => {
      if (!this.#wanted.bridges.has(bridgeId)) return
      for (const [linkId, end] of this.#wanted.attachedTo(bridgeId)) {
        await this.#inOrder(linkId, async () => {
          const link = this.#wanted.links.get(linkId)
          if (link !== undefined && isOn(link.ports[end], bridgeId)) await this.#detach(link, { linkId, end })
        })
      }
      await this.#supervisor.call('closeBridge', { bridgeId })
      this.#wanted.bridges.delete(bridgeId)
      this.#supervisor.rest()
    })
  }

  async bridgeStatistics(bridgeId: string): Promise<BridgeStatistics> {
    this.#expectBridge(bridgeId)
    return this.#supervisor.call('bridgeStatistics', { bridgeId })
  }

  /** The stations that a switch remembers. */
  async macTable(bridgeId: string): Promise<LearntAddress[]> {
    this.#expectBridge(bridgeId)
    return this.#supervisor.call('macTable', { bridgeId })
  }

  /** Replaces the filters. Frames that passed the former ones still arrive, in order. */
  setFilters(linkId: string, filters: FilterSet): Promise<void> {
    return this.#inOrder(linkId, async () => {
      const link = this.#get(linkId)
      await this.#supervisor.call('setFilters', { linkId, filters })
      link.filters = filters
    })
  }

  /** A suspended link takes nothing in. What it held back when it was suspended still arrives at its time. */
  setSuspended(linkId: string, suspended: boolean): Promise<void> {
    return this.#inOrder(linkId, async () => {
      const link = this.#get(linkId)
      await this.#supervisor.call('setSuspended', { linkId, suspended })
      link.suspended = suspended
    })
  }

  /**
   * Records what leaves the link, in both directions, into a new pcap file, which has its header when this resolves. A
   * reader of the file is never more than 100 ms behind. Throws `unavailable` when the file cannot be made.
   */
  startCapture(linkId: string, captureId: string, { path }: CaptureOptions): Promise<void> {
    return this.#inOrder(linkId, async () => {
      const link = this.#get(linkId)
      if (link.captures.has(captureId)) return
      await this.#supervisor.call('startCapture', { linkId, captureId, path, append: false })
      link.captures.set(captureId, { path })
    })
  }

  /** Ends a capture; the file is complete and closed when this resolves. One that has ended is left alone. */
  stopCapture(linkId: string, captureId: string): Promise<void> {
    return this.#inOrder(linkId, async () => {
      const link = this.#get(linkId)
      await this.#supervisor.call('stopCapture', { linkId, captureId })
      link.captures.delete(captureId)
    })
  }

  async statistics(linkId: string): Promise<LinkStatistics> {
    this.#get(linkId)
    return this.#supervisor.call('statistics', { linkId })
  }

  /**
   * What all links together carried since this object was made, closed ones included. Of a process that crashed the last
   * second may be missing. Starts no process.
   */
  async totals(): Promise<PlaneTotals> {
    await this.#supervisor.sample()
    const { links, bridges } = this.#wanted
    return { ...this.#ledger.sum, links: links.size, bridges: bridges.size }
  }

  /** Ends all links and the process. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#supervisor[Symbol.asyncDispose]()
  }

  async #attach(linkId: string, end: LinkEnd, port: PortSpec): Promise<AttachedPort> {
    const link = this.#get(linkId)
    const asked = asPresent(await resolvePort(port), link.ports[end])
    const attached = await this.#supervisor.call('attachPort', { linkId, end, port: asked })
    link.ports[end] = withLocal(asked, attached)
    return attached
  }

  async #detach(link: WantedLink, at: { readonly linkId: string; readonly end: LinkEnd }): Promise<void> {
    await this.#supervisor.call('detachPort', at)
    link.ports[at.end] = undefined
  }

  #expectBridge(bridgeId: string): void {
    if (!this.#wanted.bridges.has(bridgeId)) throw notFound('bridge', bridgeId)
  }

  #get(linkId: string): WantedLink {
    const link = this.#wanted.links.get(linkId)
    if (link === undefined) throw notFound('link', linkId)
    return link
  }

  /** Comes before `#inOrder` where both are needed. */
  #inBridgeOrder<T>(bridgeId: string, work: () => Promise<T>): Promise<T> {
    return this.#inOrder(`bridge ${bridgeId}`, work)
  }

  /** Does the work once all earlier work on the link, or whatever the key names, is done. */
  async #inOrder<T>(key: string, work: () => Promise<T>): Promise<T> {
    const earlier = this.#lastCalls.get(key) ?? Promise.resolve()
    const done = earlier.then(work, work)
    this.#lastCalls.set(key, done)
    try {
      return await done
    } finally {
      if (this.#lastCalls.get(key) === done) this.#lastCalls.delete(key)
    }
  }

  #receive(event: PlaneEvent): void {
    if (event.event === 'captureFailed') this.#dropCapture(event.linkId, event.captureId, event.reason)
  }

  readonly #dropCapture = (linkId: string, captureId: string, reason: string): void => {
    this.#wanted.links.get(linkId)?.captures.delete(captureId)
    this.#options.logger.warn({ linkId, captureId, reason }, 'a capture ended by itself')
    this.#options.onCaptureFailed?.(linkId, captureId, reason)
  }
}
