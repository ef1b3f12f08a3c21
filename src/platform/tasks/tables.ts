import type { Generated, JSONColumnType, Selectable } from 'kysely'

export type TaskState = 'planned' | 'running' | 'paused' | 'stopped'
export type TaskResult = 'pending' | 'success' | 'warning' | 'error' | 'cancelled'

/** One line of a task's subject, as the task pages of Foreman show it: `['repository', { text, link }]`. */
export type HumanizedInput = readonly [kind: string, shown: { readonly text: string; readonly link: string | null }]

interface TasksTable {
  id: string
  seq: Generated<number>
  kind: string
  label: string
  action: string
  humanized_action: string
  humanized_input: JSONColumnType<readonly HumanizedInput[], string, string>
  input: JSONColumnType<Record<string, unknown>, string, string>
  output: JSONColumnType<Record<string, unknown>, string | undefined, string>
  errors: JSONColumnType<readonly string[], string | undefined, string>
  state: Generated<TaskState>
  result: Generated<TaskResult>
  progress: Generated<number>
  progress_text: Generated<string>
  is_cancel_requested: Generated<boolean>
  attempts: Generated<number>
  holder: number | null
  parent_id: string | null
  user_id: number | null
  username: string
  scope: string | null
  created_at: Generated<Date>
  started_at: Date | null
  ended_at: Date | null
}

interface TaskResourcesTable {
  task_id: string
  resource: string
  is_exclusive: boolean
}

interface TaskHoldersTable {
  id: Generated<number>
  process: string
  started_at: Generated<Date>
}

export interface TaskTables {
  tasks: TasksTable
  task_resources: TaskResourcesTable
  task_holders: TaskHoldersTable
}

export type TaskRow = Selectable<TasksTable>
