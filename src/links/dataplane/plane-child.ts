import { type ChildProcess, fork } from 'node:child_process'
import { AppError } from '../../platform/errors.ts'
import { siblingModule } from '../../platform/module-path.ts'
import { CallTable, type Parameters1, type Reply, type Result } from './call-table.ts'
import type { DirectionStatistics } from './counters.ts'
import type { PlaneCalls, PlaneEvent, PlaneStart } from './protocol.ts'

/** Thrown by calls whose process ended before it answered: nobody knows what became of them. */
export class ChildGone extends Error {}

export interface PlaneChildOptions {
  readonly start: Omit<PlaneStart, 'parentPid'>
  readonly onEvent: (event: PlaneEvent) => void
  /** Called with what the process has counted so far, now and then and at a proper end. */
  readonly onCounted: (child: PlaneChild, counted: DirectionStatistics) => void
  /** Called once when the process has ended, before its calls are rejected. */
  readonly onExit: (child: PlaneChild, reason: string) => void
}

const startMs = 10_000
const stopMs = 3_000
/** How much of what was counted a crash can take with it. */
const sampleMs = 1_000
const keptErrorText = 4_000

/** One run of the data plane's process. */
export class PlaneChild {
  /** Resolves when the process takes calls; rejects with `unavailable` when it cannot. */
  readonly ready: Promise<void>
  readonly exited: Promise<void>
  readonly #process: ChildProcess
  readonly #calls: CallTable<PlaneCalls>
  readonly #options: PlaneChildOptions
  readonly #sampling: NodeJS.Timeout
  #errorText = ''

  constructor(options: PlaneChildOptions) {
    this.#options = options
    const start: PlaneStart = { ...options.start, parentPid: process.pid }
    this.#process = fork(siblingModule(import.meta, 'process/process-main'), [JSON.stringify(start)], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errorText = (this.#errorText + text).slice(-keptErrorText)
    })

    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.ready = promise
    const timer = setTimeout(() => this.kill(), startMs)
    this.exited = new Promise((ended) => {
      const end = (reason: string) => {
        clearTimeout(timer)
        this.#end(reason)
        reject(new AppError('unavailable', `Cannot start the data plane: ${reason}`))
        ended()
      }
      this.#process.once('error', (error) => end(error.message))
      this.#process.once('close', (code, signal) => end(this.#explain(code, signal)))
    })
    promise.catch(() => undefined)

    this.#calls = new CallTable((call) => {
      this.#process.send(call, () => undefined)
    })
    this.#process.on('message', (message: Reply | PlaneEvent) => {
      if ('id' in message) this.#calls.settle(message)
      else if (message.event !== 'ready') options.onEvent(message)
      else {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#sampling = setInterval(() => void this.sample(), sampleMs).unref()
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  /** Rejects with `ChildGone` when the process ends first. */
  call<Name extends keyof PlaneCalls>(
    name: Name,
    parameters: Parameters1<PlaneCalls, Name>,
  ): Promise<Result<PlaneCalls, Name>> {
    if (!this.#process.connected) return Promise.reject(new ChildGone('The data plane has ended'))
    return this.#calls.call(name, parameters)
  }

  /** Asks for what was counted; says nothing when the process ends instead. */
  async sample(): Promise<void> {
    const counted = await this.call('totals', {}).catch(() => undefined)
    if (counted !== undefined) this.#options.onCounted(this, counted)
  }

  /** Ends the process once its captures are written. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.kill(), stopMs)
    const counted = await this.call('shutDown', {}).catch(() => undefined)
    if (counted !== undefined) this.#options.onCounted(this, counted)
    this.kill()
    await this.exited
    clearTimeout(timer)
  }

  kill(): void {
    this.#process.kill('SIGKILL')
  }

  #end(reason: string): void {
    clearInterval(this.#sampling)
    this.#options.onExit(this, reason)
    this.#calls.abandon(new ChildGone(reason))
  }

  #explain(code: number | null, signal: NodeJS.Signals | null): string {
    const how = signal === null ? `exit code ${code}` : signal
    const said = this.#errorText.trim()
    return said === '' ? `its process ended (${how})` : `its process ended (${how}): ${said}`
  }
}
