import type { Actor } from '../auth/actor.ts'
import type { TaskRow } from './tables.ts'

/** How tasks of one kind that failed or were cancelled are taken up again; said by the part that makes them. */
export interface TaskResumption {
  readonly kind: string
  /** The ids of those that can be: nothing has taken their place, and what they work on is still there. */
  findResumable(tasks: readonly TaskRow[]): Promise<ReadonlySet<string>>
  /**
   * Puts a fresh task with the same input into the queue.
   *
   * @throws AppError as for anybody who starts such a task
   */
  resume(actor: Actor, task: TaskRow): Promise<TaskRow>
}
