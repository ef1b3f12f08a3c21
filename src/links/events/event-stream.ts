import type { MachineUsage } from '../../platform/machine-usage.ts'
import type { EventBus, LabEvent, Topic } from './event-bus.ts'

export interface EventStreamOptions {
  readonly bus: EventBus
  readonly topic: Topic
  readonly usage: MachineUsage
  /** Ends the stream. */
  readonly signal: AbortSignal
  /** After so much silence a ping is sent, which also carries how busy the machine is. */
  readonly pingMs?: number
  /** Whether this listener may know of an event; by default of all. */
  readonly isShown?: (event: LabEvent) => Promise<boolean>
}

const defaultPingMs = 5000

/** A listener that is further behind than this is cut off rather than kept in memory; it reads everything anew then. */
const mostWaiting = 10_000

/**
 * What happens from now on, each event as a line of JSON, in order: first a ping, and one after each silence. It listens
 * from the call on and lets go when the signal aborts.
 */
export function eventStream(options: EventStreamOptions): AsyncGenerator<string> {
  const { bus, topic, usage, signal } = options
  const backlog = new Backlog(signal)
  backlog.push(pingOf(usage))
  const unlisten = bus.listen(topic, (event) => backlog.push(event))
  signal.addEventListener('abort', unlisten, { once: true })
  return lines(backlog, options)
}

async function* lines(
  backlog: Backlog,
  { pingMs = defaultPingMs, usage, isShown = async () => true }: EventStreamOptions,
): AsyncGenerator<string> {
  while (!backlog.isOver) {
    for (const told of backlog.take()) {
      const { action, event } = told
      if (await isShown(told)) yield JSON.stringify({ action, event })
    }
    if (!(await backlog.isFilledWithin(pingMs))) backlog.push(pingOf(usage))
  }
}

function pingOf(usage: MachineUsage): LabEvent {
  const { cpuPercent, memoryPercent } = usage.read()
  return { action: 'ping', event: { cpu_usage_percent: cpuPercent, memory_usage_percent: memoryPercent } }
}

/** Events that a listener has not taken yet. */
class Backlog {
  readonly #signal: AbortSignal
  #events: LabEvent[] = []
  #wake: (() => void) | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener('abort', () => this.#wake?.(), { once: true })
  }

  get isOver(): boolean {
    return this.#signal.aborted || this.#events.length > mostWaiting
  }

  push(event: LabEvent): void {
    this.#events.push(event)
    this.#wake?.()
  }

  take(): LabEvent[] {
    const taken = this.#events
    this.#events = []
    return taken
  }

  /** Whether there is something before the time is over, be it the end. */
  async isFilledWithin(timeMs: number): Promise<boolean> {
    const isFilled = () => this.#signal.aborted || this.#events.length > 0
    if (isFilled()) return true
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = undefined
    return isFilled()
  }
}
