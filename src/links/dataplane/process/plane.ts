import { AppError, notFound } from '../../../platform/errors.ts'
import type { Libc } from '../../../platform/native/libc.ts'
import { prepareFilters } from '../../filters/index.ts'
import type { BridgeStatistics, LearntAddress } from '../bridge-spec.ts'
import type { Parameters1 } from '../call-table.ts'
import { CounterSum, createCounters, type DirectionStatistics, type LinkStatistics, readCounters } from '../counters.ts'
import type { AttachedPort, PlaneCalls, PlaneEvent, PlaneStart, PortSpec } from '../protocol.ts'
import { type Capture, CaptureDesk } from './capture-desk.ts'
import { DataThread } from './data-thread-handle.ts'
import { PlaneBridges } from './plane-bridges.ts'
import { type OpenPort, PortOpener } from './port-opener.ts'
import { ThreadPool } from './thread-pool.ts'

interface PlaneLink {
  readonly thread: DataThread
  readonly group: string | undefined
  readonly counters: SharedArrayBuffer
  readonly ports: [OpenPort | undefined, OpenPort | undefined]
  readonly captures: Map<string, Capture>
}

type Asked<Name extends keyof PlaneCalls> = Parameters1<PlaneCalls, Name>

export interface PlaneOptions extends PlaneStart {
  readonly libc: Libc
  readonly emit: (event: PlaneEvent) => void
  /** Called when a data thread ended by a bug. */
  readonly onBroken: (error: unknown) => void
}

/**
 * The links of this process: which data thread carries each, which descriptors and files belong to it. Calls on one
 * link must not overlap.
 */
export class Plane {
  readonly #options: PlaneOptions
  readonly #opener: PortOpener
  readonly #desk = new CaptureDesk()
  readonly #threads: ThreadPool<DataThread>
  readonly #bridges: PlaneBridges
  readonly #links = new Map<string, PlaneLink>()
  /** What links counted that are closed. */
  readonly #closed = new CounterSum()

  constructor(options: PlaneOptions) {
    this.#options = options
    this.#opener = new PortOpener(options.libc)
    const { libc, threads, queueLimitBytes, onBroken } = options
    this.#threads = new ThreadPool({
      limit: threads,
      start: () =>
        new DataThread({ libc, queueLimitBytes, onEvent: (event) => this.#desk.receive(event), onError: onBroken }),
    })
    this.#bridges = new PlaneBridges(this.#threads)
  }

  async openLink({ linkId, filters, suspended, seed, group }: Asked<'openLink'>): Promise<void> {
    const present = this.#links.get(linkId)
    if (present !== undefined) {
      if (present.group !== group) throw new AppError('conflict', `Cannot move link "${linkId}" to another group`)
      await this.setFilters({ linkId, filters })
      await this.setSuspended({ linkId, suspended })
      return
    }

    const prepared = prepareFilters(filters)
    const thread = this.#threads.place(group)
    const counters = createCounters()
    this.#links.set(linkId, { thread, group, counters, ports: [undefined, undefined], captures: new Map() })
    await thread.call('openLink', { linkId, counters, filters: prepared, suspended, seed })
  }

  async closeLink({ linkId }: Asked<'closeLink'>): Promise<void> {
    const link = this.#links.get(linkId)
    if (link === undefined) return
    for (const captureId of link.captures.keys()) await this.stopCapture({ linkId, captureId })
    await link.thread.call('closeLink', { linkId })
    for (const port of link.ports) if (port !== undefined) this.#opener.close(port)
    this.#closed.add(link.counters, true)
    this.#threads.release(link)
    this.#links.delete(linkId)
  }

  async attachPort({ linkId, end, port: spec }: Asked<'attachPort'>): Promise<AttachedPort> {
    const link = this.#get(linkId)
    const present = link.ports[end]
    if (present !== undefined) {
      if (isSame(present.spec, spec)) return present.attached
      throw new AppError('conflict', `Cannot attach a port to end ${end} of link "${linkId}": it has one`)
    }

    if (spec.kind === 'bridge') this.#bridges.expectGroup(spec.bridgeId, link.group)
    const opened = await this.#opener.open(spec)
    try {
      await link.thread.call('attachPort', { linkId, end, port: opened.port })
    } catch (error) {
      this.#opener.close(opened)
      throw error
    }
    link.ports[end] = opened
    return opened.attached
  }

  async detachPort({ linkId, end }: Asked<'detachPort'>): Promise<void> {
    const link = this.#get(linkId)
    const port = link.ports[end]
    if (port === undefined) return
    await link.thread.call('detachPort', { linkId, end })
    link.ports[end] = undefined
    this.#opener.close(port)
  }

  async setFilters({ linkId, filters }: Asked<'setFilters'>): Promise<void> {
    await this.#get(linkId).thread.call('setFilters', { linkId, filters: prepareFilters(filters) })
  }

  async setSuspended({ linkId, suspended }: Asked<'setSuspended'>): Promise<void> {
    await this.#get(linkId).thread.call('setSuspended', { linkId, suspended })
  }

  async startCapture({ linkId, captureId, path, append }: Asked<'startCapture'>): Promise<void> {
    const { thread, captures } = this.#get(linkId)
    if (captures.has(captureId)) return
    const onFailed = (reason: string) => {
      captures.delete(captureId)
      this.#options.emit({ event: 'captureFailed', linkId, captureId, reason })
    }
    captures.set(captureId, await this.#desk.start({ thread, linkId, path, append, onFailed }))
  }

  async stopCapture({ linkId, captureId }: Asked<'stopCapture'>): Promise<void> {
    const { captures } = this.#get(linkId)
    const capture = captures.get(captureId)
    if (capture === undefined) return
    await this.#desk.stop(capture)
    captures.delete(captureId)
  }

  async statistics({ linkId }: Asked<'statistics'>): Promise<LinkStatistics> {
    return readCounters(this.#get(linkId).counters)
  }

  /** What all links counted that this process has had. */
  async totals(): Promise<DirectionStatistics> {
    const sum = new CounterSum()
    sum.include(this.#closed)
    for (const { counters } of this.#links.values()) sum.add(counters)
    return sum.read()
  }

  openBridge(asked: Asked<'openBridge'>): Promise<void> {
    return this.#bridges.open(asked)
  }

  closeBridge({ bridgeId }: Asked<'closeBridge'>): Promise<void> {
    return this.#bridges.close(bridgeId)
  }

  bridgeStatistics({ bridgeId }: Asked<'bridgeStatistics'>): Promise<BridgeStatistics> {
    return this.#bridges.threadOf(bridgeId).call('bridgeStatistics', { bridgeId })
  }

  macTable({ bridgeId }: Asked<'macTable'>): Promise<LearntAddress[]> {
    return this.#bridges.threadOf(bridgeId).call('macTable', { bridgeId })
  }

  /** Ends every capture, link, bridge and thread. Gives the final totals. */
  async shutDown(): Promise<DirectionStatistics> {
    for (const linkId of [...this.#links.keys()]) await this.closeLink({ linkId })
    await this.#threads.stop()
    await this.#opener.stop()
    return this.totals()
  }

  #get(linkId: string): PlaneLink {
    const link = this.#links.get(linkId)
    if (link === undefined) throw notFound('link', linkId)
    return link
  }
}

function isSame(a: PortSpec, b: PortSpec): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
