import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, messageOf } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import type { Parameters1, Result } from './call-table.ts'
import { ChildGone, PlaneChild, type PlaneChildOptions } from './plane-child.ts'
import type { PlaneCalls } from './protocol.ts'

export interface SupervisorOptions extends Omit<PlaneChildOptions, 'onExit'> {
  readonly logger: Logger
  /** Whether a process that ended has to be started again at once. */
  readonly isNeeded: () => boolean
  /** How long a process that is not needed is kept. */
  readonly idleMs: number
  /** Brings a fresh process to the wanted state. Other calls wait meanwhile. */
  readonly restore: (child: PlaneChild) => Promise<void>
  /** Called once for each process that has ended, whatever the reason. */
  readonly onEnded: (child: PlaneChild) => void
}

const firstPauseMs = 50
const longestPauseMs = 5_000
/** A process that lived this long starts with a short pause again. */
const steadyMs = 10_000
const maxTries = 3

/** Keeps the data plane's process running from the first call on, and starts it again when it ends by itself. */
export class Supervisor implements AsyncDisposable {
  readonly #options: SupervisorOptions
  readonly #stopped = new AbortController()
  #current: Promise<PlaneChild> | undefined
  #child: PlaneChild | undefined
  /** The end of a process that was not needed any more. */
  #retired: Promise<void> | undefined
  #failures = 0
  #idleTimer: NodeJS.Timeout | undefined
  #startedAt = 0

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** The running process's id, for logs and tests. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /**
   * Makes a call, starting the process when there is none. A call whose process ends before the answer is made again
   * once the next one is there: so every call must be one that can be repeated. Throws `unavailable` when that does
   * not help.
   */
  async call<Name extends keyof PlaneCalls>(
    name: Name,
    parameters: Parameters1<PlaneCalls, Name>,
  ): Promise<Result<PlaneCalls, Name>> {
    clearTimeout(this.#idleTimer)
    try {
      return await this.#callUntilAnswered(name, parameters)
    } finally {
      this.rest()
    }
  }

  /** Has the process say what it has counted, when there is one. */
  async sample(): Promise<void> {
    await this.#child?.sample()
  }

  async #callUntilAnswered<Name extends keyof PlaneCalls>(
    name: Name,
    parameters: Parameters1<PlaneCalls, Name>,
  ): Promise<Result<PlaneCalls, Name>> {
    let gone: unknown
    for (let attempt = 0; attempt < maxTries; attempt += 1) {
      try {
        const child = await this.#running()
        return await child.call(name, parameters)
      } catch (error) {
        if (!(error instanceof ChildGone)) throw error
        gone = error
      }
    }
    throw new AppError('unavailable', `Cannot ${name} in the data plane: it ends each time`, { cause: gone })
  }

  /** Ends a process that is not needed any more, unless it is within a while. */
  rest(): void {
    clearTimeout(this.#idleTimer)
    if (this.#options.isNeeded() || this.#stopped.signal.aborted) return
    this.#idleTimer = setTimeout(() => this.#retire(), this.#options.idleMs)
    this.#idleTimer.unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort()
    clearTimeout(this.#idleTimer)
    await this.#current?.catch(() => undefined)
    await Promise.all([this.#child?.stop(), this.#retired])
  }

  #retire(): void {
    const child = this.#child
    if (child === undefined || this.#options.isNeeded()) return
    this.#child = undefined
    this.#current = undefined
    this.#retired = child.stop()
  }

  #running(): Promise<PlaneChild> {
    if (this.#stopped.signal.aborted) return Promise.reject(stopped())
    this.#current ??= this.#start()
    return this.#current
  }

  #start(): Promise<PlaneChild> {
    const started = this.#launch()
    started.catch((error: unknown) => this.#notStarted(error))
    return started
  }

  async #launch(): Promise<PlaneChild> {
    await this.#pause()
    const child = new PlaneChild({ ...this.#options, onExit: (ended, reason) => this.#exited(ended, reason) })
    this.#child = child
    this.#startedAt = performance.now()
    await child.ready
    await this.#options.restore(child)
    return child
  }

  async #pause(): Promise<void> {
    if (this.#failures === 0) return
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (this.#failures - 1))
    await sleep(pauseMs, undefined, { signal: this.#stopped.signal }).catch(() => undefined)
    if (this.#stopped.signal.aborted) throw stopped()
  }

  /** Runs before the calls of the ended process are rejected, so that they find the next one. */
  #exited(child: PlaneChild, reason: string): void {
    this.#options.onEnded(child)
    if (this.#child !== child) return
    this.#child = undefined
    if (this.#stopped.signal.aborted) return

    this.#failures = performance.now() - this.#startedAt > steadyMs ? 1 : this.#failures + 1
    this.#options.logger.error({ reason, failures: this.#failures }, 'the data plane ended unexpectedly')
    this.#current = this.#options.isNeeded() ? this.#start() : undefined
  }

  /** What waited for this start is told. The process's end, now at the latest, brings the next try. */
  #notStarted(error: unknown): void {
    if (this.#stopped.signal.aborted) return
    this.#child?.kill()
    this.#options.logger.error({ error: messageOf(error) }, 'the data plane does not start')
  }
}

function stopped(): AppError {
  return new AppError('unavailable', 'The data plane is stopped')
}
