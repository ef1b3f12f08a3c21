import type { Kysely, Transaction } from 'kysely'
import { AppError, messageOf } from '../errors.ts'
import { lockHeldTask, releaseTask, saveProgress, stopTask } from './held-task-store.ts'
import type { TaskRow, TaskTables } from './tables.ts'
import type { TaskContext, TaskHandler } from './task-handler.ts'

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
  readonly runChildren: TaskContext['runChildren']
  readonly #db: Kysely<TaskTables>
  readonly #holder: number
  readonly #controller = new AbortController()
  readonly #warnings: string[] = []
  #reason: StopReason | undefined
  #progress = { part: 0, text: '' }
  #timer: NodeJS.Timeout | undefined
  #saving: Promise<void> = Promise.resolve()

  constructor({ db, holder, row, runChildren }: RunningTaskParts) {
    this.id = row.id
    this.input = row.input
    this.runChildren = runChildren
    this.#db = db
    this.#holder = holder
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  stop(reason: StopReason): void {
    this.#reason ??= reason
    this.#controller.abort(new AppError('cancelled', `The task was ${this.#reason}`))
  }

  progress(part: number, text: string): void {
    this.#progress = { part: Math.min(1, Math.max(0, part)), text }
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

  /** Runs the handler and stores how it ended. Throws only when the database cannot be reached. */
  async run(handler: TaskHandler): Promise<void> {
    try {
      await handler.run(this)
      await this.#end(this.#warnings.length > 0 ? 'warning' : 'success', this.#warnings)
    } catch (error) {
      await this.#fail(error)
    }
  }

  get #held() {
    return { id: this.id, holder: this.#holder }
  }

  async #fail(error: unknown): Promise<void> {
    if (this.#reason === 'handed back') return this.#release()
    const result = this.#reason === undefined ? 'error' : 'cancelled'
    await this.#end(result, [...this.#warnings, messageOf(error)])
  }

  async #release(): Promise<void> {
    await this.#settle()
    await releaseTask(this.#db, this.#held)
  }

  async #end(result: 'success' | 'warning' | 'error' | 'cancelled', errors: readonly string[]): Promise<void> {
    await this.#settle()
    await stopTask(this.#db, this.#held, { result, output: this.output, errors })
  }

  async #settle(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#saving
  }

  #save(): void {
    this.#timer = undefined
    const { part, text } = this.#progress
    // a lost report is no reason to fail: the next one, or the end, says more
    this.#saving = saveProgress(this.#db, this.#held, { progress: part, text, output: this.output }).catch(
      () => undefined,
    )
  }
}
