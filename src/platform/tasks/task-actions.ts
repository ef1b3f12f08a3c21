import type { Actor } from '../auth/actor.ts'
import { AppError, messageOf } from '../errors.ts'
import type { ListRequest } from '../search/list-request.ts'
import type { TaskRow } from './tables.ts'
import type { TaskResumption } from './task-resumption.ts'
import type { TaskService } from './task-service.ts'
import type { TaskFilter } from './task-store.ts'

/** A task that was taken up again, with the fresh one that does it. */
export interface Resumed {
  readonly task: TaskRow
  readonly fresh: TaskRow
}

export interface Failed {
  readonly task: TaskRow
  readonly error: string
}

/** What became of each of many tasks. */
export interface Outcome<Done> {
  readonly done: readonly Done[]
  readonly failed: readonly Failed[]
  /** Those with which it could not be done, or not by this actor. */
  readonly skipped: readonly TaskRow[]
}

/** What people do with tasks that there are, with one or with many at once. */
export class TaskActions {
  readonly #tasks: TaskService
  readonly #resumptions: ReadonlyMap<string, TaskResumption>

  constructor(tasks: TaskService, resumptions: readonly TaskResumption[]) {
    this.#tasks = tasks
    this.#resumptions = new Map(resumptions.map((resumption) => [resumption.kind, resumption]))
  }

  /** The ids of those that can be resumed. */
  async findResumable(tasks: readonly TaskRow[]): Promise<ReadonlySet<string>> {
    const unfinished = tasks.filter(isUnfinished)
    const found = [...this.#resumptions.values()].map((resumption) => {
      const ofKind = unfinished.filter(({ kind }) => kind === resumption.kind)
      return ofKind.length === 0 ? [] : resumption.findResumable(ofKind)
    })
    return new Set((await Promise.all(found)).flatMap((ids) => [...ids]))
  }

  /** @throws AppError `conflict` that says why it cannot be resumed */
  async resume(actor: Actor, id: string): Promise<TaskRow> {
    const task = await this.#tasks.getTask(actor, id)
    if ((await this.findResumable([task])).has(task.id)) return this.#resumptionOf(task).resume(actor, task)
    throw new AppError('conflict', `Cannot resume "${task.action}": ${this.#hindrance(task)}`)
  }

  async listChosen(actor: Actor, filter: TaskFilter, request: ListRequest): Promise<readonly TaskRow[]> {
    const { rows } = await this.#tasks.listTasks(actor, filter, request)
    return rows
  }

  async resumeAll(actor: Actor, tasks: readonly TaskRow[]): Promise<Outcome<Resumed>> {
    const resumable = await this.findResumable(tasks)
    return each(tasks, async (task) => {
      if (!resumable.has(task.id)) return undefined
      return { task, fresh: await this.#resumptionOf(task).resume(actor, task) }
    })
  }

  async cancelAll(actor: Actor, tasks: readonly TaskRow[]): Promise<Outcome<TaskRow>> {
    return each(tasks, async (task) => {
      return task.state === 'stopped' ? undefined : this.#tasks.cancelTask(actor, task.id)
    })
  }

  #resumptionOf({ kind }: TaskRow): TaskResumption {
    return this.#resumptions.get(kind) as TaskResumption
  }

  #hindrance(task: TaskRow): string {
    if (task.state !== 'stopped') return 'it has not stopped'
    if (!isUnfinished(task)) return 'it has done its work'
    if (!this.#resumptions.has(task.kind)) return 'such a task has to be asked for anew'
    return 'a later task has taken its place, or what it worked on was deleted'
  }
}

function isUnfinished({ state, result }: TaskRow): boolean {
  return state === 'stopped' && (result === 'error' || result === 'cancelled')
}

/** Does something with one task after the other; undefined means that there is nothing to do. */
async function each<Done>(
  tasks: readonly TaskRow[],
  act: (task: TaskRow) => Promise<Done | undefined>,
): Promise<Outcome<Done>> {
  const outcome = { done: [] as Done[], failed: [] as Failed[], skipped: [] as TaskRow[] }
  for (const task of tasks) {
    try {
      const done = await act(task)
      if (done === undefined) outcome.skipped.push(task)
      else outcome.done.push(done)
    } catch (error) {
      if (isDenial(error)) outcome.skipped.push(task)
      else if (error instanceof AppError) outcome.failed.push({ task, error: messageOf(error) })
      else throw error
    }
  }
  return outcome
}

function isDenial(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'forbidden' || error.code === 'not_found')
}
