import type { Kysely, Transaction } from 'kysely'
import { AppError, messageOf } from '../errors.ts'
import { lockHeldTask, releaseTask, saveProgress, stopTask, type TaskEnd } from './held-task-store.ts'
import type { TaskRow, TaskTables } from './tables.ts'
import type { TaskContext } from './task-handler.ts'

/** Why a task's signal was aborted decides what becomes of the task. */
export type StopReason = 'cancelled' | 'handed back' | 'taken over'

const saveEveryMs = 500

export interface RunningTaskParts {
  readonly db: Kysely<TaskTables>
  readonly holder: number
  readonly row: TaskRow
  readonly runChildren: TaskContext['runChildren']
}

/** One claimed task from claim to end. */
export class RunningTask implements TaskContext {
  readonly id: string
  readonly input: Readonly<Record<string, unknown>>
  readonly output: Record<string, unknown> = {}
  readonly #runChildren: TaskContext['runChildren']
  readonly #db: Kysely<TaskTables>
  readonly #holder: number
  readonly #controller = new AbortController()
  readonly #warnings: string[] = []
  #hasChildren = false
  #reason: StopReason | undefined
  #outcome: 'done' | { readonly error: unknown } | undefined
  #progress = { part: 0, text: '' }
  #timer: NodeJS.Timeout | undefined
  #saving: Promise<void> = Promise.resolve()

  constructor({ db, holder, row, runChildren }: RunningTaskParts) {
    this.id = row.id
    this.input = row.input
    this.#runChildren = runChildren
    this.#db = db
    this.#holder = holder
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get hasChildren(): boolean {
    return this.#hasChildren
  }

  stop(reason: StopReason): void {
    this.#reason ??= reason
    this.#controller.abort(new AppError('cancelled', `The task was ${this.#reason}`))
  }

  progress(part: number, text: string): void {
    this.#progress = { part: part > 0 ? Math.min(1, part) : 0, text }
    this.#timer ??= setTimeout(() => this.#save(), saveEveryMs)
  }

  warn(message: string): void {
    this.#warnings.push(message)
  }

  async commit<Tables, T>(db: Kysely<Tables>, write: (tx: Transaction<Tables>) => Promise<T>): Promise<T> {
    return db.transaction().execute(async (tx) => {
      const isHeld = await lockHeldTask(tx as unknown as Transaction<TaskTables>, this.#held)
      if (!isHeld) throw new AppError('cancelled', 'The task was taken over')
      return write(tx)
    })
  }

  runChildren(children: Parameters<TaskContext['runChildren']>[0]): Promise<TaskRow[]> {
    this.#hasChildren = true
    return this.#runChildren(children)
  }

  /** Does the work and notes how it ended. Never throws. */
  async run(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.#outcome = 'done'
    } catch (error) {
      this.#outcome = { error }
    }
    clearTimeout(this.#timer)
    await this.#saving
  }

  /** Stores how the run ended. To be called again when the database could not be reached. */
  async storeEnd(): Promise<void> {
    // an error may come from the loss of the database, which is noticed as such only a moment later
    const end = this.#end()
    if (end === 'released') return releaseTask(this.#db, this.#held)
    await stopTask(this.#db, this.#held, { ...end, ...this.#report() })
  }

  get #held() {
    return { id: this.id, holder: this.#holder }
  }

  /** What was interrupted through no wish of anybody starts again. */
  #end(): Pick<TaskEnd, 'result' | 'errors'> | 'released' {
    const warnings = this.#warnings
    if (this.#outcome === 'done') return { result: warnings.length > 0 ? 'warning' : 'success', errors: warnings }
    const isInterrupted = this.#reason === 'handed back' || this.#reason === 'taken over'
    if (this.#outcome === undefined || isInterrupted) return 'released'
    const result = this.#reason === undefined ? 'error' : 'cancelled'
    return { result, errors: [...warnings, messageOf(this.#outcome.error)] }
  }

  #report() {
    const { part, text } = this.#progress
    return { progress: part, text, output: this.output }
  }

  #save(): void {
    this.#timer = undefined
    this.#saving = this.#saving
      .then(() => saveProgress(this.#db, this.#held, this.#report()))
      // a lost report is no reason to fail: the next one, or the end, says more
      .catch(() => undefined)
  }
}
