import type { Kysely, Transaction } from 'kysely'
import type { TaskRow } from './tables.ts'
import type { NewChildTask } from './task-store.ts'

/** What a running task may do. */
export interface TaskContext {
  readonly id: string
  readonly input: Readonly<Record<string, unknown>>
  /** Aborts when the task is cancelled, handed back or taken over. Everything long must heed it. */
  readonly signal: AbortSignal
  /** Shown in the task's answer while it runs and afterwards; saved with the progress and at the end. */
  readonly output: Record<string, unknown>
  /** Tells how far the work is: a part of 1, and words such as "12 of 40 files". Cheap to call often. */
  progress(part: number, text: string): void
  /** Notes that something was skipped or failed without ending the task; its result becomes `warning`. */
  warn(message: string): void
  /**
   * A transaction that only commits while this process still holds the task, so that a task which was taken over
   * cannot write twice.
   */
  commit<Tables, T>(db: Kysely<Tables>, write: (tx: Transaction<Tables>) => Promise<T>): Promise<T>
  /** Runs parts of this task side by side under its resources and their own, and gives them when all have stopped. */
  runChildren(children: readonly NewChildTask[]): Promise<TaskRow[]>
}

/** Runs all tasks of one kind. May be run again from the start at any time, after a kill or a hand-over. */
export interface TaskHandler {
  readonly kind: string
  readonly run: (context: TaskContext) => Promise<void>
}
