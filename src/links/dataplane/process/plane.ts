import { AppError, notFound } from '../../../platform/errors.ts'
import { prepareFilters } from '../../filters/index.ts'
import type { Parameters1 } from '../call-table.ts'
import { createCounters, type LinkStatistics, readCounters } from '../counters.ts'
import type { Libc } from '../native/libc.ts'
import {
  type AttachedPort,
  type PlaneCalls,
  type PlaneEvent,
  type PlaneStart,
  type PortSpec,
  withLocal,
} from '../protocol.ts'
import { type Capture, CaptureDesk } from './capture-desk.ts'
import { DataThread } from './data-thread-handle.ts'
import { PortOpener } from './port-opener.ts'

interface OpenPort {
  readonly spec: PortSpec
  readonly fd: number
  readonly attached: AttachedPort
}

interface PlaneLink {
  readonly thread: DataThread
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
  readonly #threads: DataThread[] = []
  readonly #links = new Map<string, PlaneLink>()

  constructor(options: PlaneOptions) {
    this.#options = options
    this.#opener = new PortOpener(options.libc)
  }

  async openLink({ linkId, filters, suspended, seed }: Asked<'openLink'>): Promise<void> {
    if (this.#links.has(linkId)) {
      await this.setFilters({ linkId, filters })
      await this.setSuspended({ linkId, suspended })
      return
    }

    const prepared = prepareFilters(filters)
    const thread = this.#chooseThread()
    const counters = createCounters()
    thread.links += 1
    this.#links.set(linkId, { thread, counters, ports: [undefined, undefined], captures: new Map() })
    await thread.call('openLink', { linkId, counters, filters: prepared, suspended, seed })
  }

  async closeLink({ linkId }: Asked<'closeLink'>): Promise<void> {
    const link = this.#links.get(linkId)
    if (link === undefined) return
    for (const captureId of link.captures.keys()) await this.stopCapture({ linkId, captureId })
    await link.thread.call('closeLink', { linkId })
    for (const port of link.ports) if (port !== undefined) this.#opener.close(port.fd)
    link.thread.links -= 1
    this.#links.delete(linkId)
  }

  async attachPort({ linkId, end, port: spec }: Asked<'attachPort'>): Promise<AttachedPort> {
    const link = this.#get(linkId)
    const present = link.ports[end]
    if (present !== undefined) {
      if (isSame(present.spec, spec)) return present.attached
      throw new AppError('conflict', `Cannot attach a port to end ${end} of link "${linkId}": it has one`)
    }

    const { fd, attached } = await this.#opener.open(spec)
    link.ports[end] = { spec: withLocal(spec, attached), fd, attached }
    await link.thread.call('attachPort', { linkId, end, port: { kind: spec.kind, fd } })
    return attached
  }

  async detachPort({ linkId, end }: Asked<'detachPort'>): Promise<void> {
    const link = this.#get(linkId)
    const port = link.ports[end]
    if (port === undefined) return
    await link.thread.call('detachPort', { linkId, end })
    link.ports[end] = undefined
    this.#opener.close(port.fd)
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

  /** Ends every capture, link and thread. */
  async shutDown(): Promise<void> {
    for (const linkId of [...this.#links.keys()]) await this.closeLink({ linkId })
    await Promise.all(this.#threads.splice(0).map((thread) => thread.stop()))
    await this.#opener.stop()
  }

  #get(linkId: string): PlaneLink {
    const link = this.#links.get(linkId)
    if (link === undefined) throw notFound('link', linkId)
    return link
  }

  /** The thread with the fewest links; a further one is started while every thread has some. */
  #chooseThread(): DataThread {
    const [idlest] = this.#threads.toSorted((a, b) => a.links - b.links)
    const isRoom = this.#threads.length < this.#options.threads
    return idlest !== undefined && (idlest.links === 0 || !isRoom) ? idlest : this.#startThread()
  }

  #startThread(): DataThread {
    const thread = new DataThread({
      libc: this.#options.libc,
      queueLimitBytes: this.#options.queueLimitBytes,
      onEvent: (event) => this.#desk.receive(event),
      onError: this.#options.onBroken,
    })
    this.#threads.push(thread)
    return thread
  }
}

function isSame(a: PortSpec, b: PortSpec): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
