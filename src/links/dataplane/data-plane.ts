import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { AppError, messageOf, notFound } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import type { FilterSet } from '../filters/index.ts'
import type { LinkStatistics } from './counters.ts'
import type { PlaneChild } from './plane-child.ts'
import { type AttachedPort, type LinkEnd, type PlaneEvent, type PortSpec, withLocal } from './protocol.ts'
import { resolvePort } from './resolve-port.ts'
import { Supervisor } from './supervisor.ts'

export type { DirectionStatistics, DropCause, LinkStatistics } from './counters.ts'
export type { Address, AttachedPort, LinkEnd, PortSpec } from './protocol.ts'

export interface DataPlaneOptions {
  readonly logger: Logger
  /** How many threads the links are spread over; by default one for each core, two at most. */
  readonly threads?: number
  /** How much one direction of a link may hold back for its delay; 64 MiB by default. */
  readonly queueLimitBytes?: number
  /** How long the process stays after the last link is closed; 30 s by default. */
  readonly idleMs?: number
  /** Called when a capture ended by itself (disk full, too slow). Its file is closed and whole; the link goes on. */
  readonly onCaptureFailed?: (linkId: string, captureId: string, reason: string) => void
}

export interface LinkState {
  readonly filters: FilterSet
  readonly suspended: boolean
  /** Makes the link's chances repeatable. */
  readonly seed?: number
}

export interface CaptureOptions {
  /** The pcap file, made anew. Its folder must exist. */
  readonly path: string
}

interface WantedLink {
  filters: FilterSet
  suspended: boolean
  readonly seed: number
  readonly ports: [PortSpec | undefined, PortSpec | undefined]
  readonly captures: Map<string, CaptureOptions>
}

const maxThreads = 2
const defaultQueueLimitBytes = 64 * 1024 * 1024
const defaultIdleMs = 30_000
const seedLimit = 2 ** 48 - 1

/**
 * Carries the frames of all links, in a process of its own that is there while there are links. When that process ends
 * by itself it is started again and every link is brought back, running captures included; calls wait meanwhile.
 *
 * A call is in force when it resolves. It throws `not_found` for a link that is not open and `unavailable` when there is
 * no data plane to be had. Calls on one link are made one after the other.
 */
export class DataPlane implements AsyncDisposable {
  readonly #options: DataPlaneOptions
  readonly #links = new Map<string, WantedLink>()
  readonly #lastCalls = new Map<string, Promise<unknown>>()
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
      isNeeded: () => this.#links.size > 0,
      restore: (child) => this.#restore(child),
      onEvent: (event) => this.#receive(event),
    })
  }

  /** The process that carries the frames, while there is one. */
  get pid(): number | undefined {
    return this.#supervisor.pid
  }

  /** Opens a link without ports; for one that is open, sets its state. */
  openLink(linkId: string, { filters, suspended, seed }: LinkState): Promise<void> {
    return this.#inOrder(linkId, async () => {
      const present = this.#links.get(linkId)
      const wanted: WantedLink = {
        filters,
        suspended,
        seed: present?.seed ?? seed ?? randomInt(seedLimit),
        ports: present?.ports ?? [undefined, undefined],
        captures: present?.captures ?? new Map(),
      }
      await this.#supervisor.call('openLink', { linkId, filters, suspended, seed: wanted.seed })
      this.#links.set(linkId, wanted)
    })
  }

  /** Closes a link with its ports, ends its captures and throws away what it holds back. */
  closeLink(linkId: string): Promise<void> {
    return this.#inOrder(linkId, async () => {
      if (!this.#links.has(linkId)) return
      await this.#supervisor.call('closeLink', { linkId })
      this.#links.delete(linkId)
      this.#supervisor.rest()
    })
  }

  /**
   * Joins an end of a link to an emulator; for UDP the answer tells the local port that was picked. Attaching the same
   * port again changes nothing. Throws `conflict` when the end has another port, or the port's address or device is in
   * use, missing or needs root, and `invalid` when the addresses or names cannot work.
   */
  attachPort(linkId: string, end: LinkEnd, port: PortSpec): Promise<AttachedPort> {
    return this.#inOrder(linkId, async () => {
      const link = this.#get(linkId)
      const asked = await resolvePort(port)
      const resolved = withPickedPort(asked, link.ports[end])
      const attached = await this.#supervisor.call('attachPort', { linkId, end, port: resolved })
      link.ports[end] = withLocal(resolved, attached)
      return attached
    })
  }

  /** Takes the port of an end away; frames toward it are dropped from then on. */
  detachPort(linkId: string, end: LinkEnd): Promise<void> {
    return this.#inOrder(linkId, async () => {
      const link = this.#get(linkId)
      await this.#supervisor.call('detachPort', { linkId, end })
      link.ports[end] = undefined
    })
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

  /** Ends all links and the process. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#supervisor[Symbol.asyncDispose]()
  }

  #get(linkId: string): WantedLink {
    const link = this.#links.get(linkId)
    if (link === undefined) throw notFound('link', linkId)
    return link
  }

  /** Does the work once all earlier work on the link is done. */
  async #inOrder<T>(linkId: string, work: () => Promise<T>): Promise<T> {
    const earlier = this.#lastCalls.get(linkId) ?? Promise.resolve()
    const done = earlier.then(work, work)
    this.#lastCalls.set(linkId, done)
    try {
      return await done
    } finally {
      if (this.#lastCalls.get(linkId) === done) this.#lastCalls.delete(linkId)
    }
  }

  #receive(event: PlaneEvent): void {
    if (event.event === 'captureFailed') this.#dropCapture(event.linkId, event.captureId, event.reason)
  }

  #dropCapture(linkId: string, captureId: string, reason: string): void {
    this.#links.get(linkId)?.captures.delete(captureId)
    this.#options.logger.warn({ linkId, captureId, reason }, 'a capture ended by itself')
    this.#options.onCaptureFailed?.(linkId, captureId, reason)
  }

  async #restore(child: PlaneChild): Promise<void> {
    for (const [linkId, link] of this.#links) {
      await this.#restoreLink(child, linkId, link).catch((error: unknown) => {
        this.#options.logger.error({ linkId, error: refusalOf(error) }, 'a link could not be opened again')
      })
    }
  }

  /** A port or capture that does not come back is reported; the rest of the link does. */
  async #restoreLink(child: PlaneChild, linkId: string, link: WantedLink): Promise<void> {
    const { filters, suspended, seed, ports, captures } = link
    await child.call('openLink', { linkId, filters, suspended, seed })
    for (const end of [0, 1] as const) {
      const port = ports[end]
      if (port === undefined) continue
      await child.call('attachPort', { linkId, end, port }).catch((error: unknown) => {
        this.#options.logger.error({ linkId, end, error: refusalOf(error) }, 'a port could not be attached again')
      })
    }
    for (const [captureId, { path }] of captures) {
      await child.call('startCapture', { linkId, captureId, path, append: true }).catch((error: unknown) => {
        this.#dropCapture(linkId, captureId, refusalOf(error))
      })
    }
  }
}

/** What is asked, with the port that was picked when it was asked before. */
function withPickedPort(asked: PortSpec, present: PortSpec | undefined): PortSpec {
  if (asked.kind !== 'udp' || present?.kind !== 'udp' || asked.local.port !== 0) return asked
  return { ...asked, local: { ...asked.local, port: present.local.port } }
}

/** The text of what the process refused; anything else is thrown on. */
function refusalOf(error: unknown): string {
  if (!(error instanceof AppError)) throw error
  return messageOf(error)
}
