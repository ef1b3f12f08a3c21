import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Database } from '../db/database.ts'
import type { Notifications } from '../db/notifications.ts'
import type { Logger } from '../log.ts'
import { findCancelled, releaseTask } from './held-task-store.ts'
import { becomeHolder, reclaimOrphans } from './holder-store.ts'
import { RunningTask, type StopReason } from './running-task.ts'
import type { TaskRow, TaskTables } from './tables.ts'
import type { TaskHandler } from './task-handler.ts'
import type { TaskService } from './task-service.ts'
import { claimTask, taskChannel } from './task-store.ts'

export interface TaskRunnerOptions {
  readonly database: Database
  readonly notifications: Notifications
  readonly tasks: TaskService
  readonly handlers: readonly TaskHandler[]
  readonly logger: Logger
  /** How many tasks run at once in this process; parents that wait for their children do not count. */
  readonly concurrency?: number
  /** How long tasks may take to heed their signal when the runner stops. */
  readonly graceMs?: number
}

/** Orphans are found, and announcements that were missed made up for, at this pace. */
const patrolMs = 1000

/** Claims tasks and runs them, as long as its session lock proves to the other processes that it lives. */
export class TaskRunner implements AsyncDisposable {
  readonly #options: TaskRunnerOptions
  readonly #db: Kysely<TaskTables>
  readonly #handlers: ReadonlyMap<string, TaskHandler>
  readonly #running = new Map<RunningTask, Promise<void>>()
  #session: pg.Client | undefined
  #holder = 0
  #waitingParents = 0
  #patrol: NodeJS.Timeout | undefined
  #patrolling: Promise<void> | undefined
  #filling: Promise<void> | undefined
  #isFillWanted = false
  #isStopping = false
  #unsubscribe: () => void = () => undefined

  constructor(options: TaskRunnerOptions) {
    this.#options = options
    this.#db = options.database.tables<TaskTables>()
    this.#handlers = new Map(options.handlers.map((handler) => [handler.kind, handler]))
  }

  async start(): Promise<void> {
    await this.#openSession()
    this.#unsubscribe = await this.#options.notifications.subscribe(taskChannel, (payload) => this.#hear(payload))
    await reclaimOrphans(this.#db)
    this.#patrol = setInterval(() => this.#look(), patrolMs)
    this.#wake()
  }

  async #openSession(): Promise<void> {
    const session = await this.#options.database.connect()
    session.on('end', () => this.#loseSession(session))
    try {
      this.#holder = await becomeHolder(session, `${hostname()}:${process.pid}`)
      this.#session = session
    } catch (error) {
      await session.end().catch(() => undefined)
      throw error
    }
  }

  /** Without the lock others take our tasks over: nothing of ours may go on. */
  #loseSession(session: pg.Client): void {
    if (this.#session !== session) return
    this.#session = undefined
    if (this.#isStopping) return
    this.#options.logger.error('the session that holds this process’s tasks was lost: its tasks start again')
    for (const task of this.#running.keys()) task.stop('taken over')
  }

  #hear(payload: string): void {
    if (payload.includes('"cancelled"') || payload === '') this.#inBackground(this.#stopCancelled())
    this.#wake()
  }

  #look(): void {
    this.#patrolling ??= this.#inBackground(this.#patrolOnce()).finally(() => {
      this.#patrolling = undefined
    })
  }

  async #patrolOnce(): Promise<void> {
    if (this.#session === undefined && !this.#isStopping) await this.#openSession()
    await reclaimOrphans(this.#db)
    await this.#stopCancelled()
    this.#wake()
  }

  async #stopCancelled(): Promise<void> {
    const cancelled = new Set(
      await findCancelled(
        this.#db,
        [...this.#running.keys()].map(({ id }) => id),
      ),
    )
    for (const task of this.#running.keys()) {
      if (cancelled.has(task.id)) task.stop('cancelled')
    }
  }

  #wake(): void {
    this.#isFillWanted = true
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined
      if (this.#isFillWanted && !this.#isStopping) this.#wake()
    })
  }

  async #fill(): Promise<void> {
    try {
      while (this.#isFillWanted && !this.#isStopping) {
        this.#isFillWanted = false
        while (this.#hasRoom() && (await this.#claimOne()));
      }
    } catch (error) {
      this.#isFillWanted = false
      this.#options.logger.warn({ err: error }, 'cannot claim a task: trying again soon')
    }
  }

  #hasRoom(): boolean {
    const { concurrency = 4 } = this.#options
    return this.#session !== undefined && this.#running.size - this.#waitingParents < concurrency
  }

  async #claimOne(): Promise<boolean> {
    const holder = this.#holder
    const row = await claimTask(this.#db, holder, [...this.#handlers.keys()])
    if (row === undefined) return false
    // the lock may have been lost while the claim was on its way
    if (this.#session === undefined || this.#holder !== holder) await releaseTask(this.#db, { id: row.id, holder })
    else this.#run(row)
    return true
  }

  #run(row: TaskRow): void {
    const task = new RunningTask({
      db: this.#db,
      holder: this.#holder,
      row,
      runChildren: (children) => this.#waitFor(task, () => this.#options.tasks.runChildren(row, children, task.signal)),
    })
    const { logger } = this.#options
    logger.info({ task: row.id, label: row.label, attempt: row.attempts }, 'a task starts')
    if (row.is_cancel_requested) task.stop('cancelled')
    const ended = this.#runToEnd(task, row).finally(() => {
      this.#running.delete(task)
      this.#wake()
    })
    this.#running.set(task, ended)
  }

  async #runToEnd(task: RunningTask, row: TaskRow): Promise<void> {
    const { tasks } = this.#options
    const handler = this.#handlers.get(row.kind) as TaskHandler
    await task.run(async () => {
      // a killed run may have left parts behind, and a failed one may not have waited for them
      if (row.attempts > 1) await tasks.endChildren(row.id)
      task.signal.throwIfAborted()
      await handler.run(task).finally(() => task.hasChildren && tasks.endChildren(row.id))
    })
    await this.#storeEnd(task)
  }

  /** What cannot be stored is tried until it can: this process holds the task, and nobody else would end it. */
  async #storeEnd(task: RunningTask): Promise<void> {
    while (true) {
      try {
        return await task.storeEnd()
      } catch (error) {
        this.#options.logger.error({ err: error, task: task.id }, 'the end of a task could not be stored')
        if (this.#isStopping) return
        await setTimeout(patrolMs)
      }
    }
  }

  async #waitFor<T>(task: RunningTask, work: () => Promise<T>): Promise<T> {
    task.signal.throwIfAborted()
    // the announcement of the parts makes runners look for work, and parts go first
    this.#waitingParents += 1
    try {
      return await work()
    } finally {
      this.#waitingParents -= 1
    }
  }

  #inBackground(work: Promise<void>): Promise<void> {
    return work.catch((error) => {
      if (!this.#isStopping) this.#options.logger.warn({ err: error }, 'cannot look after tasks: trying again soon')
    })
  }

  /** Hands running tasks back to the queue and gives up the lock; what does not heed its signal in time is left to the others. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#patrol)
    this.#unsubscribe()
    await this.#patrolling
    await this.#filling
    this.#stopAll('handed back')
    await this.#settled(this.#options.graceMs ?? 10_000)
    await this.#session?.end()
  }

  #stopAll(reason: StopReason): void {
    for (const task of this.#running.keys()) task.stop(reason)
  }

  async #settled(graceMs: number): Promise<void> {
    const done = new AbortController()
    const late = setTimeout(graceMs, undefined, { signal: done.signal }).catch(() => undefined)
    await Promise.race([Promise.all(this.#running.values()), late])
    done.abort()
  }
}
