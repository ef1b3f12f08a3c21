import { timestamp } from '../http/timestamps.ts'
import type { TaskRow } from './tables.ts'

/**
 * The JSON that Foreman's clients poll. An answer with `action`, `state` and `started_at` is a task to them. Whoever may
 * have to do with a task that failed says whether it can be resumed.
 */
export function presentTask(task: TaskRow, now: number, isResumable = false): object {
  const isStopped = task.state === 'stopped'
  return {
    id: task.id,
    label: task.label,
    pending: !isStopped,
    action: task.action,
    username: task.username,
    started_at: timestamp(task.started_at),
    ended_at: timestamp(task.ended_at),
    duration: duration(task, now),
    state: task.state,
    result: task.result,
    progress: Math.floor(task.progress * 100) / 100,
    input: task.input,
    output: task.output,
    humanized: {
      action: task.humanized_action,
      input: task.humanized_input,
      output: task.progress_text,
      errors: task.errors,
    },
    cli_example: null,
    start_at: timestamp(task.created_at),
    available_actions: { cancellable: !isStopped, resumable: isResumable },
  }
}

export interface TaskDetails {
  readonly resources: readonly { readonly resource: string; readonly is_exclusive: boolean }[]
  readonly hasSubTasks: boolean
  readonly isResumable: boolean
}

export function presentTaskDetails(
  task: TaskRow,
  { resources, hasSubTasks, isResumable }: TaskDetails,
  now: number,
): object {
  return {
    ...presentTask(task, now, isResumable),
    parent_task_id: task.parent_id,
    start_before: null,
    external_id: task.id,
    execution_plan: { state: task.state, cancellable: task.state !== 'stopped' },
    failed_steps: [],
    running_steps: [],
    help: null,
    has_sub_tasks: hasSubTasks,
    attempts: task.attempts,
    locks: resources.map(({ resource, is_exclusive }) => ({ name: resource, exclusive: is_exclusive })),
    links: [],
    username_path: '',
  }
}

/** `hh:mm:ss.µs` since the start, null before it. */
function duration({ started_at, ended_at }: TaskRow, now: number): string | null {
  if (started_at === null) return null
  const ms = Math.max(0, (ended_at?.getTime() ?? now) - started_at.getTime())
  const twoDigits = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const fraction = String((ms % 1000) * 1000).padStart(6, '0')
  return `${twoDigits(ms / 3_600_000)}:${twoDigits((ms / 60_000) % 60)}:${twoDigits((ms / 1000) % 60)}.${fraction}`
}
