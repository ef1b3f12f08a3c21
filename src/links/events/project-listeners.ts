import type { Logger } from '../../platform/log.ts'

export interface ProjectListenersOptions {
  /** Closes a project that wants to be closed when nobody listens any more. */
  readonly closeIfWanted: (projectId: string) => Promise<void>
  readonly logger: Logger
  /** How long after the last listener left: a client that reconnects must not find it closed. */
  readonly graceMs?: number
}

const defaultGraceMs = 5000

/** Counts who listens to each project, and tells when the last one has gone for good. */
export class ProjectListeners implements Disposable {
  readonly #options: ProjectListenersOptions
  readonly #counts = new Map<string, number>()
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor(options: ProjectListenersOptions) {
    this.#options = options
  }

  /** Counts a listener until the signal aborts. */
  add(projectId: string, signal: AbortSignal): void {
    clearTimeout(this.#timers.get(projectId))
    this.#timers.delete(projectId)
    this.#counts.set(projectId, (this.#counts.get(projectId) ?? 0) + 1)
    signal.addEventListener('abort', () => this.#remove(projectId), { once: true })
  }

  #remove(projectId: string): void {
    const count = (this.#counts.get(projectId) ?? 1) - 1
    if (count > 0) {
      this.#counts.set(projectId, count)
      return
    }
    this.#counts.delete(projectId)
    const { graceMs = defaultGraceMs } = this.#options
    const timer = setTimeout(() => this.#close(projectId), graceMs)
    this.#timers.set(projectId, timer.unref())
  }

  #close(projectId: string): void {
    this.#timers.delete(projectId)
    const { closeIfWanted, logger } = this.#options
    closeIfWanted(projectId).catch((error) =>
      logger.warn({ err: error, project: projectId }, 'a project that nobody listens to could not be closed'),
    )
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    this.#counts.clear()
  }
}
